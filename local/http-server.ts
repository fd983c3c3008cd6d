import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { METHODS } from '../functions/api/call.ts';
import type { ApiHandler } from '../functions/api/create-api-handler.ts';
import type { ApiResult } from '../functions/api/request-context.ts';
import { linkSignals } from '../shared/model/link-signals.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { apiEvent, routeRequest } from './api-event.ts';
import type { ConsolePage } from './console-page.ts';
import { guardRequest, isAllowedOrigin } from './guard-request.ts';
import { readBody } from './read-body.ts';
import type { Settings } from './settings-schema.ts';

export interface HttpServer {
  readonly url: string;
  /** Takes no more, ends the long waits, lets requests in flight finish within the grace, then closes. */
  stop(graceMs: number): Promise<void>;
}

export interface HttpServerParts {
  readonly settings: Settings;
  readonly handler: ApiHandler;
  readonly clock: Clock;
  /** Served beside the API, to browsers. */
  readonly page?: ConsolePage;
}

/** An error would be made, with its stack, for nobody. */
const HUNG_UP = Symbol('the caller has hung up');
const SILENT_MS = 60_000;
const MAX_CONNECTIONS = 5_000;

export async function startHttpServer(parts: HttpServerParts): Promise<HttpServer> {
  const stopping = new AbortController();
  // Every request listens to it.
  setMaxListeners(0, stopping.signal);
  const server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
    void serve(parts, request, response, stopping.signal);
  });
  // A caller that neither sends nor reads for this long is gone; a long poll is shorter.
  server.setTimeout(SILENT_MS);
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, parts.settings);
  const { port } = server.address() as { readonly port: number };
  const { serverHost } = parts.settings;
  return {
    url: `http://${serverHost.includes(':') ? `[${serverHost}]` : serverHost}:${port}`,
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      stopping.abort();
      server.closeIdleConnections();
      const grace = new AbortController();
      await Promise.race([closed, parts.clock.sleep(graceMs, grace.signal).catch(() => undefined)]);
      grace.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, { serverHost, serverPort }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(serverPort, serverHost, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function serve(
  parts: HttpServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(HUNG_UP);
  });
  const result = await answer(parts, request, gone.signal, stopping);
  if (response.destroyed || result === null) return;
  response.writeHead(result.statusCode ?? 200, {
    ...(result.headers as Record<string, string>),
    ...corsHeaders(parts.settings, request),
    ...(stopping.aborted || !request.complete ? { connection: 'close' } : {}),
  });
  response.end(result.body);
}

/** Null if the caller has hung up before its request was whole. */
async function answer(
  parts: HttpServerParts,
  request: IncomingMessage,
  gone: AbortSignal,
  stopping: AbortSignal,
): Promise<ApiResult | null> {
  const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
  const routed = routeRequest(request.method ?? '', request.url ?? '/');
  const { signal, unlink } = linkSignals(gone, stopping);
  const event = (body: string) => apiEvent(request, routed, body, parts.clock.now());
  try {
    const page = routed.call === null ? await findPage(parts, request, routed.path) : null;
    const isOpen = isPreflight || page !== null;
    guardRequest(parts.settings, request.headers, isOpen ? 'open' : (routed.call?.access ?? 'user'));
    if (isPreflight) return { statusCode: 204 };
    if (page !== null) return page;
    return await parts.handler(event(await readBody(request)), { signal });
  } catch (refusal) {
    return gone.aborted ? null : await parts.handler(event(''), { signal, refusal });
  } finally {
    unlink();
  }
}

const findPage = async ({ page }: HttpServerParts, { method, headers }: IncomingMessage, path: string) =>
  (await page?.answer(method ?? '', path, headers.accept ?? '')) ?? null;

function corsHeaders(settings: Settings, { headers }: IncomingMessage): Record<string, string> {
  const { origin } = headers;
  if (origin === undefined || !isAllowedOrigin(settings, headers)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': METHODS.join(', '),
    'access-control-allow-headers': 'authorization, content-type, x-correlation-id, traceparent',
    'access-control-expose-headers': 'x-correlation-id, x-trace-id, retry-after',
    vary: 'origin',
  };
}
