import type { FuzzedRequest } from './fuzzed-requests.ts';
import type { KnownThings } from './known-things.ts';
import { NASTY_CURSORS } from './nasty-values.ts';
import { ODDITIES } from './oddities.ts';
import type { WireRequest } from './wire-request.ts';

/** What a name beginning with @ stands for. */
export type Naming = (name: string) => string;

/** Of things that belong to a namespace. */
const NAME = /@(?:run|ended|held|lease|other-lease|worker|letter|schedule)\b/;
export const namesThings = ({ params, query, body }: FuzzedRequest): boolean =>
  NAME.test(JSON.stringify([params, query, body]));

/** Once it has been answered there is what it names, or it is answered as asked before. */
export const makesWhatItNames = ({ method, path, body }: FuzzedRequest): boolean =>
  method === 'POST' &&
  (path === '/v1/{namespace}/schedules' ||
    (path === '/v1/{namespace}/runs' &&
      typeof (body as { readonly request_id?: unknown } | null)?.request_id === 'string'));

function named(value: unknown, naming: Naming): unknown {
  if (typeof value === 'string') return value.startsWith('@') ? naming(value) : value;
  if (Array.isArray(value)) return value.map((item) => named(item, naming));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, named(inner, naming)]));
}

/** One of our tokens for this list, with its query, as it is or with another cursor. */
export function withToken(request: FuzzedRequest, things: KnownThings): FuzzedRequest {
  const { page_token: asked } = request.query;
  const known = asked === '@token' || asked === '@forged' ? things.token(request.path, request.pick) : undefined;
  if (known === undefined) return request;
  const token = asked === '@token' ? known.token : forged(known.token, request.pick);
  return { ...request, params: known.params, query: { ...known.query, page_token: token } };
}

function forged(token: string, pick: number): string {
  const [digest] = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as [string, string];
  const cursor = NASTY_CURSORS[pick % NASTY_CURSORS.length];
  return Buffer.from(JSON.stringify([digest, cursor]), 'utf8').toString('base64url');
}

const encode = (value: unknown): string =>
  encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed());

export function toWire(request: FuzzedRequest, naming: Naming): WireRequest {
  const [params, query] = [named(request.params, naming), named(request.query, naming)] as Record<string, unknown>[];
  const filled = request.path.replace(/\{(\w+)\}/g, (_whole, name: string) => encode(params?.[name] ?? ''));
  const pairs = Object.entries(query ?? {}).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const text = request.body === undefined ? '' : JSON.stringify(named(request.body, naming));
  const plain: WireRequest = {
    method: request.method,
    url: pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`,
    headers: { ...(text === '' ? {} : { 'content-type': 'application/json' }), ...request.headers },
    text,
    base64: false,
  };
  const oddity = request.oddity === null ? undefined : ODDITIES[request.oddity];
  const wire = oddity?.make(plain) ?? plain;
  if (wire.text === '' || 'content-type' in wire.headers) return wire;
  return { ...wire, headers: { ...wire.headers, 'content-type': 'application/json' } };
}
