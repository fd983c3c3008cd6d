import { describe, expect, it } from 'vitest';
import { createApiHandler } from '../../functions/api/create-api-handler.ts';
import { readAuthorisation } from '../../functions/api/read-authorisation.ts';
import type { ApiEvent, Authorisation } from '../../functions/api/request-context.ts';
import { bodyOf, httpEvent } from '../helpers/cloud.ts';
import { testEngine } from '../helpers/test-engine.ts';

const service = { version: 'test', features: [], metrics: null };

/** As API Gateway sends it: with the route of the template, and what its authorizer found. */
function gatewayEvent(
  method: string,
  path: string,
  claims?: Readonly<Record<string, string>>,
  body?: unknown,
): ApiEvent {
  const event = httpEvent(method, path, body);
  const [, namespace = '', proxy = ''] = /^\/v1\/([^/]+)\/(.+)$/.exec(event.rawPath) ?? [];
  return {
    ...event,
    routeKey: 'ANY /v1/{namespace}/{proxy+}',
    pathParameters: { namespace, proxy },
    requestContext: {
      ...event.requestContext,
      ...(claims !== undefined && { authorizer: { jwt: { claims, scopes: [] } } }),
    } as ApiEvent['requestContext'],
  };
}

async function serve(authorisation?: Authorisation) {
  const { engine } = await testEngine();
  const handler = createApiHandler({
    engine,
    service,
    telemetryFor: () => engine.telemetry,
    ...(authorisation && { authorisation }),
  });
  return async (...args: Parameters<typeof gatewayEvent>) => {
    const result = await handler(gatewayEvent(...args), {});
    return { status: result.statusCode, body: bodyOf(result) };
  };
}

describe('behind the greedy routes of the template', () => {
  it('calls are found by their path', async () => {
    const call = await serve();
    const { status, body } = await call('POST', '/v1/shop/runs', undefined, { workflow_type: 'order' });
    expect(status).toBe(201);
    expect((await call('GET', `/v1/shop/runs/${body['run_id'] as string}`)).body).toMatchObject({ namespace: 'shop' });
  });

  it('what does not exist is answered as everywhere', async () => {
    const call = await serve();
    expect((await call('GET', '/v1/shop/nothing')).body).toMatchObject({ error: { code: 'ROUTE_NOT_FOUND' } });
    expect((await call('DELETE', '/v1/shop/runs')).body).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } });
  });

  it.each(['/v1/sh%6fp/runs', '/v1/%73hop/runs', '/v1/shop%2Fother/runs', '/v1/shop/../other/runs', '/v1//shop/runs'])(
    'a namespace that a policy would have read otherwise is refused: %s',
    async (path) => {
      expect((await (await serve())('GET', path)).status).toBeOneOf([400, 404]);
    },
  );
});

describe('with tokens', () => {
  const claim = 'kagzi_namespaces';
  const withClaim = () => serve({ by: 'claim', claim });
  const list = (namespace: string) => ['GET', `/v1/${namespace}/runs`] as const;

  it.each(['shop', '[shop]', '[other shop]', 'other shop', 'other,shop', '*', '[*]'])(
    'the claim %s allows the namespace shop',
    async (value) => {
      expect((await (await withClaim())(...list('shop'), { [claim]: value })).status).toBe(200);
    },
  );

  it.each(['', 'other', '[other]', '[]', 'shopping', 'sho', 'shop#', '[shop'])(
    'the claim "%s" does not allow the namespace shop',
    async (value) => {
      const { status, body } = await (await withClaim())(...list('shop'), { [claim]: value });
      expect({ status, body }).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    },
  );

  it('a token without the claim, and a request without a token, allow nothing', async () => {
    const call = await withClaim();
    expect((await call(...list('shop'), { sub: 'shop' })).status).toBe(403);
    expect((await call(...list('shop'))).status).toBe(403);
  });

  it('nothing is written for a namespace that is not allowed', async () => {
    const call = await withClaim();
    const started = await call('POST', '/v1/shop/runs', { [claim]: 'other' }, { workflow_type: 'order' });
    expect(started.status).toBe(403);
    expect((await call(...list('shop'), { [claim]: '*' })).body).toMatchObject({ runs: [] });
  });

  it.each([
    ['GET', '/v1/namespaces'],
    ['POST', '/admin/drain'],
    ['GET', '/metrics'],
  ])('%s %s concerns all namespaces and needs *', async (method, path) => {
    const call = await withClaim();
    expect((await call(method, path, { [claim]: 'shop' }, {})).status).toBe(403);
    expect((await call(method, path, { [claim]: '*' }, {})).status).not.toBe(403);
  });

  it.each(['/health', '/ready', '/info', '/openapi.json'])('%s is open to everybody', async (path) => {
    expect((await (await withClaim())('GET', path)).status).toBe(200);
  });
});

describe('the environment says who authorises', () => {
  it('a policy or a claim', () => {
    expect(readAuthorisation({ KAGZI_AUTH: 'iam' })).toEqual({ by: 'front' });
    expect(readAuthorisation({ KAGZI_AUTH: 'jwt', KAGZI_NAMESPACES_CLAIM: 'ns' })).toEqual({
      by: 'claim',
      claim: 'ns',
    });
  });

  it.each([{}, { KAGZI_AUTH: 'none' }, { KAGZI_AUTH: 'jwt' }, { KAGZI_AUTH: 'jwt', KAGZI_NAMESPACES_CLAIM: '' }])(
    'and nothing is assumed: %o',
    (env) => {
      expect(() => readAuthorisation(env)).toThrow('KAGZI_AUTH');
    },
  );
});
