import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { RawRequest } from '../../helpers/verify-sigv4.ts';
import { type LambdaFunction, ThrottledError } from '../lambda/lambda-function.ts';
import { type Caller, callerOf, iamContext } from './caller.ts';
import { decodedPath, gatewayEvent } from './gateway-event.ts';
import { matchRoute } from './match-route.ts';
import { type TokenIssuer, type TokenRule, verifyToken } from './token-issuer.ts';

export interface Route {
  readonly key: string;
  readonly target: LambdaFunction;
  readonly authorization:
    | { readonly kind: 'NONE' }
    | { readonly kind: 'AWS_IAM' }
    | { readonly kind: 'JWT'; readonly rule: TokenRule };
}

export interface FrontParts {
  readonly apiId: string;
  readonly stage: string;
  readonly routes: readonly Route[];
  readonly callers: readonly Caller[];
  readonly issuers: readonly TokenIssuer[];
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const INTEGRATION_MS = 30_000;
const MAX_BYTES = 10 * 1024 * 1024;
const said = (status: number, message: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
});

/** An HTTP API on this machine: routes, authorizers and functions as the template has them. */
export class HttpFront {
  readonly #server: Server;

  constructor(private readonly parts: FrontParts) {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, headers, body } = await readRequest(request)
      .then((raw) => this.#answer(raw))
      .catch((error: unknown) => said(500, String(error)));
    response.writeHead(status, { date: new Date().toUTCString(), ...headers }).end(body);
  }

  async #answer(request: RawRequest): Promise<Answer> {
    const { routes, apiId } = this.parts;
    const path = decodedPath(request.target);
    if (Buffer.from(request.body).byteLength > MAX_BYTES) return said(413, 'Request Entity Too Large');
    const matched = path === null ? null : matchRoute(routes, request.method, path);
    if (matched === null || path === null) return said(404, 'Not Found');
    const { route, params } = matched;
    const authorizer = await this.#authorize(route, request, path);
    if (typeof authorizer === 'number') return said(authorizer, authorizer === 401 ? 'Unauthorized' : 'Forbidden');
    return invoke(route.target, gatewayEvent({ request, routeKey: route.key, params, apiId, authorizer }));
  }

  /** What the function is told of the caller, or the status of the refusal. */
  async #authorize(
    { authorization }: Route,
    request: RawRequest,
    path: string,
  ): Promise<Readonly<Record<string, unknown>> | null | 401 | 403> {
    const { apiId, stage, callers, issuers } = this.parts;
    if (authorization.kind === 'NONE') return null;
    if (authorization.kind === 'AWS_IAM') {
      const caller = await callerOf(request, callers, { apiId, stage, path });
      return caller === null ? 403 : iamContext(caller);
    }
    const { rule } = authorization;
    const given = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
    const issuer = issuers.find(({ url }) => url === rule.issuer);
    const claims = verifyToken(given.replace(/^Bearer /i, ''), rule, issuer?.keys() ?? []);
    return claims === null ? 401 : { jwt: { claims: asText(claims), scopes: null } };
  }
}

/** Claims reach a function as text; a list in brackets, without quotes. */
const asText = (claims: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      Array.isArray(value) ? `[${value.join(' ')}]` : typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

async function invoke(target: LambdaFunction, event: unknown): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(said(503, 'Service Unavailable')), INTEGRATION_MS);
  });
  try {
    return await Promise.race([late, target.invoke(event).then(toAnswer)]);
  } catch (error) {
    return error instanceof ThrottledError ? said(503, 'Service Unavailable') : said(500, 'Internal Server Error');
  } finally {
    clearTimeout(timer);
  }
}

function toAnswer(result: unknown): Answer {
  const { statusCode, headers = {}, body, isBase64Encoded } = result as APIGatewayProxyStructuredResultV2;
  if (statusCode === undefined) return { status: 200, body: JSON.stringify(result) };
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(body === undefined
      ? {}
      : { body: isBase64Encoded === true ? Buffer.from(body, 'base64').toString('latin1') : body }),
  };
}

async function readRequest(request: IncomingMessage): Promise<RawRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method = 'GET', url = '/', rawHeaders } = request;
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );
  return { method, target: url, headers, body: Buffer.concat(parts) };
}
