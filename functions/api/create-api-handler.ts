import middy from '@middy/core';
import { KagziError } from '../../shared/model/errors.ts';
import { authorise } from './authorise.ts';
import type { ApiAnswer, Call } from './call.ts';
import { errorResponse } from './error-response.ts';
import { identify } from './identify.ts';
import { matchPath } from './match-path.ts';
import { readRequest } from './read-request.ts';
import type { ApiEvent, ApiParts, ApiResult, CallerContext, RequestContext } from './request-context.ts';
import { resolveRoute } from './resolve-route.ts';
import { ROUTES, routeKey } from './routes.ts';

export type ApiHandler = (event: ApiEvent, context: CallerContext) => Promise<ApiResult>;

const BY_KEY: ReadonlyMap<string, Call> = new Map(ROUTES.map((call) => [routeKey(call), call]));
const NEVER = new AbortController().signal;

/** HTTP API v2 events in, answers out: the same for API Gateway and for the local server. */
export function createApiHandler(parts: ApiParts): ApiHandler {
  const handler = middy<ApiEvent, ApiResult>()
    .use(identify(parts))
    .handler((event: ApiEvent, context: unknown) => answerCall(parts, event, context as RequestContext));
  return (event, context) => handler(resolveRoute(event), { ...context } as Parameters<typeof handler>[1]);
}

async function answerCall(parts: ApiParts, event: ApiEvent, context: RequestContext): Promise<ApiResult> {
  const { engine, signal = NEVER, refusal } = context;
  try {
    if (refusal !== undefined) throw refusal;
    const call = BY_KEY.get(event.routeKey) ?? unknownRoute(event);
    authorise(parts.authorisation ?? { by: 'front' }, call, event);
    return toResult(await call.handle({ engine, signal, service: parts.service }, readRequest(call, event)));
  } catch (error) {
    const answer = errorResponse(error);
    if (answer.status >= 500) {
      engine.telemetry.log('error', 'request failed', {
        route: event.routeKey,
        error: error instanceof Error ? error.message : String(error),
        stack: error instanceof Error ? (error.stack ?? null) : null,
      });
    }
    return toResult(answer);
  }
}

function unknownRoute({ rawPath, requestContext: { http } }: ApiEvent): never {
  const allowed = ROUTES.filter((call) => matchPath(call.path, rawPath) !== null).map((call) => call.method);
  if (allowed.length === 0)
    throw new KagziError(
      'ROUTE_NOT_FOUND',
      `There is no ${http.path.slice(0, 200)}; GET /openapi.json lists the calls.`,
    );
  const allow = allowed.join(', ');
  throw new KagziError('METHOD_NOT_ALLOWED', `${http.method} is not allowed here; allowed: ${allow}.`, { allow });
}

function toResult({ status, headers, body }: ApiAnswer): ApiResult {
  if (body === undefined) return { statusCode: status, headers: { ...headers } };
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
