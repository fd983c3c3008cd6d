import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiHandler } from '../../functions/api/handler.ts';
import { type HttpServer, startHttpServer } from '../../local/http-server.ts';
import { settingsSchema } from '../../local/settings-schema.ts';
import { settle } from '../helpers/manual-clock.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

const TOKEN = 'user-token-0123456789';
const ORIGIN = 'https://console.example';

let test: TestEngine;
let server: HttpServer;
beforeEach(async () => {
  test = await testEngine();
  const handler = createApiHandler({
    engine: test.engine,
    service: { version: '1', features: [], metrics: null },
    telemetryFor: () => test.telemetry,
  });
  const settings = settingsSchema.parse({ serverPort: 0, apiToken: TOKEN, allowedOrigins: [ORIGIN] });
  server = await startHttpServer({ settings, handler, clock: test.clock });
});
afterEach(async () => {
  await server.stop(0);
  await test.close();
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Neither fetch nor a URL: both would normalise the path. */
function send(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers };
    const { hostname, port } = new URL(server.url);
    const sent = httpRequest({ hostname, port, path, method, headers: all, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const codeOf = ({ text }: Answer): unknown =>
  (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code;
const started = ({ text }: Answer): string => (JSON.parse(text) as { readonly run_id: string }).run_id;
const start = (body: object = {}) =>
  send('/v1/shop/runs', { method: 'POST', body: JSON.stringify({ workflow_type: 'order', ...body }) });

describe('over a real connection', () => {
  it('a run is started and read', async () => {
    const answer = await start({ input: '👩‍👩‍👧‍👦 \ud800' });
    expect(answer.status).toBe(201);
    const run = await send(`/v1/shop/runs/${started(answer)}`);
    expect(JSON.parse(run.text)).toMatchObject({ status: 'PENDING', input: '👩‍👩‍👧‍👦 \ud800' });
    expect(run.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
  });

  it('an id with a slash and a percent sign reaches the handler as it is', async () => {
    const external = '100% a/b?c#d ü';
    await start({ external_id: external });
    const found = await send(`/v1/shop/runs?external_id=${encodeURIComponent(external)}`);
    expect(JSON.parse(found.text)).toMatchObject({ runs: [{ external_id: external }] });
  });

  it('a path is not normalised', async () => {
    expect(codeOf(await send('/v1/shop/../other/runs'))).toBe('ROUTE_NOT_FOUND');
    expect(codeOf(await send('/v1/shop//runs'))).toBe('ROUTE_NOT_FOUND');
  });

  it('a wrong token is a 401, an open call needs none', async () => {
    const headers = { authorization: 'Bearer wrong' };
    const refused = await send('/v1/shop/runs', { headers });
    expect([refused.status, codeOf(refused)]).toEqual([401, 'UNAUTHENTICATED']);
    expect((await send('/nowhere', { headers })).status).toBe(401);
    expect((await send('/health', { headers })).status).toBe(200);
  });

  it('a page of another origin is a 403 without permission to read it', async () => {
    const refused = await send('/health', { headers: { origin: 'https://evil.example' } });
    expect([refused.status, codeOf(refused)]).toEqual([403, 'FORBIDDEN']);
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('an allowed page may ask first, without its token', async () => {
    const headers = { origin: ORIGIN, authorization: '', 'access-control-request-method': 'POST' };
    const preflight = await send('/v1/shop/runs', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe(ORIGIN);
    const evil = { ...headers, origin: 'https://evil.example' };
    expect((await send('/v1/shop/runs', { method: 'OPTIONS', headers: evil })).status).toBe(403);
  });

  it.each([
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400],
    ['more than 5 MiB', Buffer.alloc(5 * 1024 * 1024 + 1, 0x20), 413],
  ])('%s are refused', async (_what, body, status) => {
    const answer = await send('/v1/shop/runs', { method: 'POST', body });
    expect(answer.status).toBe(status);
  });

  it('a method there is not is a 405 that names those there are', async () => {
    const answer = await send('/v1/shop/runs', { method: 'PATCH' });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST, GET']);
  });

  it('a wait ends when the caller hangs up', async () => {
    const path = `/v1/shop/runs/${started(await start())}?wait=20`;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
    while (test.clock.sleeping === 0) await settle();
    socket.destroy();
    while (test.clock.sleeping > 0) await settle();
    expect(test.telemetry.lines.at(-1)).toMatchObject({ message: 'request', fields: { status: 200 } });
  });

  it('stopping ends the waits and answers them', async () => {
    const waiting = send(`/v1/shop/runs/${started(await start())}?wait=20`);
    while (test.clock.sleeping === 0) await settle();
    const stopped = server.stop(1_000);
    const answer = await waiting;
    await stopped;
    expect([answer.status, answer.headers['connection']]).toEqual([200, 'close']);
  });
});
