import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildServer, startChildServer } from '../helpers/child-server.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { SignedGateway } from '../helpers/signed-gateway.ts';
import { StackService } from '../helpers/stack-service.ts';
import { type Running, startKagzi } from './kagzi-process.ts';

const KEY = 'AKIAEXAMPLE';
const SECRET = 'secret-of-the-user';
const directory = temporaryDirectory();
let server: ChildServer;
let gateway: SignedGateway;
let stacks: StackService;
let running: Running;
let origin: string;
let token: string;

const credentials = { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: SECRET, AWS_REGION: 'eu-central-1' };

beforeAll(async () => {
  server = await startChildServer({ KAGZI_DATA_DIR: directory });
  gateway = await SignedGateway.open(server.url);
  gateway.identities.set(KEY, { secretAccessKey: SECRET });
  stacks = await StackService.open();
  stacks.identities.set(KEY, { secretAccessKey: SECRET });
  stacks.stacks.set('kagzi-prod', { TableName: 'runs', Url: gateway.url });
  const env = { ...credentials, AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.url, KAGZI_SIGN: 'on' };
  running = startKagzi(['console', '--env', 'prod'], { env });
  await running.printed('#token=');
  const url = new URL(/http:\S+/.exec(running.output())?.[0] ?? '');
  ({ origin } = url);
  token = url.hash.slice('#token='.length);
});
afterAll(async () => {
  running.kill('SIGTERM');
  await running.ended;
  await gateway.close();
  await stacks.close();
  await server.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const ask = (path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Response> =>
  fetch(origin + path, {
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
/** As it stands on the line: `fetch` would tidy the path up, and set some headers itself. */
const statusOf = (method: string, path: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(origin, { method, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
const mine = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('kagzi console', () => {
  it('finds the engine by its stack, serves the page on loopback, and says whose engine it shows', async () => {
    expect(new URL(origin).hostname).toBe('127.0.0.1');
    const page = await ask('/console/');
    expect([page.status, page.headers.get('content-security-policy')?.includes("script-src 'self'")]).toEqual([
      200,
      true,
    ]);
    expect(await (await ask('/console/engine.json')).json()).toEqual({ name: 'prod', url: gateway.url });
  });

  it('sends calls on, signed with the credentials of the user', async () => {
    const started = await ask('/v1/default/runs', mine(), { workflow_type: 'x', external_id: "it's (odd)*!" });
    expect(started.status).toBe(201);
    const found = await ask(`/v1/default/runs?external_id=${encodeURIComponent("it's (odd)*!")}`, mine());
    expect(await found.json()).toMatchObject({ runs: [{ external_id: "it's (odd)*!" }] });
    expect(gateway.seen.at(-1)).toMatchObject({ accessKeyId: KEY, status: 200 });
    const wrong = await ask('/v1/default/runs?status=NONE', mine());
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { code: 'INVALID_ARGUMENT' } }]);
  });

  it.each([
    ['without the secret', 401, () => ({})],
    ['with another secret', 401, () => ({ authorization: 'Bearer guessed' })],
    ['from another page', 403, () => ({ ...mine(), origin: 'http://127.0.0.1:9999' })],
  ])('answers nothing %s, and calls nobody', async (_how, status, headers) => {
    const before = gateway.seen.length;
    expect((await ask('/v1/default/runs', headers() as Record<string, string>)).status).toBe(status);
    expect(gateway.seen).toHaveLength(before);
  });

  it('answers to no other name, so that none can be pointed at it, and to no page but its own', async () => {
    const before = gateway.seen.length;
    for (const path of ['/console/', '/console/engine.json', '/v1/default/runs']) {
      for (const headers of [
        { host: 'evil.example' },
        { host: `127.0.0.1.evil.example:${new URL(origin).port}` },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ]) {
        expect(await statusOf('GET', path, { ...mine(), ...headers }), JSON.stringify([path, headers])).toBe(403);
      }
    }
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    expect(await statusOf('OPTIONS', '/v1/default/runs', preflight)).toBe(403);
    expect(gateway.seen).toHaveLength(before);
  });

  it('sends nothing on that is no call of the API, as it stands', async () => {
    const before = gateway.seen.length;
    for (const path of [
      '/',
      '/v2/x',
      '/console/../../etc/passwd',
      '/console/..%2f..%2fpackage.json',
      '/console/constructor',
      '//elsewhere.example/v1/default/runs',
      'http://elsewhere.example/v1/default/runs',
      '/v1/../runs',
      '/v1/%2e%2e/runs',
      '/v1/default/../runs',
    ]) {
      expect(await statusOf('GET', path, mine()), path).toBe(404);
    }
    for (const method of ['PUT', 'TRACE', 'HEAD', 'OPTIONS']) {
      expect(await statusOf(method, '/v1/default/runs', mine()), method).toBe(404);
    }
    expect(gateway.seen).toHaveLength(before);
  });

  it('passes on what the gateway refuses, and says when the engine does not answer', async () => {
    gateway.identities.clear();
    expect((await ask('/v1/default/runs', mine())).status).toBe(403);
    gateway.identities.set(KEY, { secretAccessKey: SECRET });
    const away = startKagzi(['console', '--url', 'http://127.0.0.1:1', '--namespace', 'shop'], { env: {} });
    await away.printed('#token=');
    const url = new URL(/http:\S+/.exec(away.output())?.[0] ?? '');
    const [, secret] = /^#token=([\w-]+)&namespace=shop$/.exec(url.hash) ?? [];
    const answer = await fetch(`${url.origin}/info`, { headers: { authorization: `Bearer ${secret}` } });
    expect([answer.status, await answer.json()]).toMatchObject([502, { error: { code: 'UNREACHABLE' } }]);
    away.kill('SIGINT');
    expect((await away.ended).code).toBe(0);
  });

  it('says what is missing', async () => {
    const files = { AWS_CONFIG_FILE: '/nowhere', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' };
    const unknown = await startKagzi(['console', '--env', 'staging-2'], { env: files }).ended;
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).toContain('KAGZI_URL_STAGING_2');
    expect((await startKagzi(['console', '--port', 'x']).ended).stderr).toContain('--port x is no port');
    expect((await startKagzi(['console', '--namespace', 'A&b']).ended).stderr).toContain('"A&b" is no namespace');
  });
});
