import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorResponse } from '../functions/api/error-response.ts';
import type { ApiHandler } from '../functions/api/handler.ts';
import { MAX_BODY_BYTES } from '../functions/api/read-request.ts';
import type { ApiResult } from '../functions/api/request-context.ts';
import { KagziError } from '../shared/model/errors.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { apiEvent, routeRequest } from './api-event.ts';
import { guardRequest, isAllowedOrigin } from './guard-request.ts';
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
}

export async function startHttpServer(parts: HttpServerParts): Promise<HttpServer> {
  const stopping = new AbortController();
  const server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
    void serve(parts, request, response, stopping.signal);
  });
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
) {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const result = await answer(parts, request, AbortSignal.any([gone.signal, stopping])).catch((error: unknown) => {
    const { status, body, headers } = errorResponse(error);
    return {
      statusCode: status,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify(body),
    };
  });
  if (response.destroyed) return;
  response.writeHead(result.statusCode ?? 200, {
    ...(result.headers as Record<string, string>),
    ...corsHeaders(parts.settings, request),
    ...(stopping.aborted || !request.complete ? { connection: 'close' } : {}),
  });
  response.end(result.body);
}

async function answer(parts: HttpServerParts, request: IncomingMessage, signal: AbortSignal): Promise<ApiResult> {
  const routed = routeRequest(request.method ?? '', request.url ?? '/');
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
    guardRequest(parts.settings, request.headers, 'open');
    return { statusCode: 204 };
  }
  guardRequest(parts.settings, request.headers, routed.call?.access ?? 'user');
  const body = await readBody(request);
  return parts.handler(apiEvent(request, routed, body, parts.clock.now()), { signal });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new KagziError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
        max_bytes: MAX_BODY_BYTES,
      });
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new KagziError('INVALID_ARGUMENT', 'The body is not valid UTF-8.');
  }
}

function corsHeaders(settings: Settings, { headers }: IncomingMessage): Record<string, string> {
  const { origin } = headers;
  if (origin === undefined || !isAllowedOrigin(settings, headers)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'authorization, content-type, x-correlation-id, traceparent',
    'access-control-expose-headers': 'x-correlation-id, x-trace-id, retry-after',
    vary: 'origin',
  };
}
