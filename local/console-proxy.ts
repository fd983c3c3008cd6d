import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { errorResponse } from '../functions/api/error-response.ts';
import { ApiError } from '../sdk/client/api-error.ts';
import type { ApiAnswered, RawCall } from '../sdk/client/http-api.ts';
import { KagziError } from '../shared/model/errors.ts';
import { SigningError } from '../shared/model/signing-error.ts';
import { routeRequest } from './api-event.ts';
import { type ConsoleEngine, ConsolePage } from './console-page.ts';
import { guardRequest } from './guard-request.ts';
import { readBody } from './read-body.ts';

const HOST = '127.0.0.1';
const SILENT_MS = 60_000;

export interface ConsoleProxyOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly engine: ConsoleEngine;
  /** That the page shows first. */
  readonly namespace: string;
  /** Sends a request on, proved to be the user's. */
  readonly forward: (call: RawCall) => Promise<ApiAnswered>;
}

export interface ConsoleProxy {
  /** With the secret of this start in its fragment, which browsers send to nobody. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The console of an engine elsewhere, on loopback: it serves the page and sends its calls on. Whoever calls must know
 * the secret, so that no other page, and no other user of this machine, speaks with the credentials of this one.
 */
export async function startConsoleProxy(options: ConsoleProxyOptions): Promise<ConsoleProxy> {
  const secret = randomBytes(24).toString('base64url');
  const page = new ConsolePage(() => options.engine);
  const server = createServer((request, response) => void serve(options, page, secret, request, response));
  server.setTimeout(SILENT_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, HOST, resolve);
  });
  const { port } = server.address() as { readonly port: number };
  return {
    url: `http://${HOST}:${port}/console/#token=${secret}${startOf(options.namespace)}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const startOf = (namespace: string): string => (namespace === 'default' ? '' : `&namespace=${namespace}`);

async function serve(
  options: ConsoleProxyOptions,
  page: ConsolePage,
  secret: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { status, headers, text } = await answer(options, page, secret, request, gone.signal);
  if (response.destroyed) return;
  response.writeHead(status, headers);
  response.end(text);
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

async function answer(
  { forward }: ConsoleProxyOptions,
  page: ConsolePage,
  secret: string,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Answer> {
  const settings = { serverHost: HOST, apiToken: secret, adminToken: undefined, allowedOrigins: [] };
  const { method = 'GET', url = '/', headers } = request;
  try {
    const routed = routeRequest(method, url);
    const file = routed.call === null ? await page.answer(method, routed.path, headers.accept ?? '') : null;
    guardRequest(settings, headers, file === null ? 'user' : 'open');
    if (file !== null) {
      return {
        status: file.statusCode ?? 200,
        headers: { ...file.headers } as Answer['headers'],
        text: file.body ?? '',
      };
    }
    // `/v1/../x` would be another call when it arrives.
    if (routed.call === null || !isAsItStands(routed.path))
      throw new KagziError('ROUTE_NOT_FOUND', 'There is no such call.');
    const body = await readBody(request);
    const answered = await forward({
      method: routed.call.method,
      target: url,
      body: body === '' ? undefined : body,
      signal,
    });
    const type = answered.headers.get('content-type') ?? 'application/json';
    return {
      status: answered.status,
      headers: { 'content-type': type, 'cache-control': 'no-store' },
      text: answered.text,
    };
  } catch (error) {
    return refused(error);
  }
}

const isAsItStands = (path: string): boolean => new URL(path, `http://${HOST}`).pathname === path;

function refused(error: unknown): Answer {
  const json = { 'content-type': 'application/json; charset=utf-8' };
  if (error instanceof SigningError || error instanceof ApiError) {
    const { code, message } = error;
    return { status: 502, headers: json, text: JSON.stringify({ error: { code, message, details: {} } }) };
  }
  const { status, body } = errorResponse(error);
  return { status, headers: json, text: JSON.stringify(body) };
}
