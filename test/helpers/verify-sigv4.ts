import { createHash, createHmac } from 'node:crypto';

/** A request as it came over the wire. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  /** In the order sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | string;
}

export interface Identity {
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface Verifier {
  readonly identityOf: (accessKeyId: string) => Identity | undefined;
  readonly region: string;
  readonly service: string;
  readonly now: number;
}

/** Why a request is refused, in the words of API Gateway; null if it may pass. */
export function verifySigV4(request: RawRequest, verifier: Verifier): string | null {
  const authorization = header(request, 'authorization') ?? '';
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  if (signature === undefined) return 'Missing Authentication Token';
  const identity = verifier.identityOf(accessKeyId);
  const token = header(request, 'x-amz-security-token');
  if (identity === undefined || token !== identity.sessionToken) {
    return 'The security token included in the request is invalid.';
  }
  const time = header(request, 'x-amz-date') ?? '';
  const wanted = `${time.slice(0, 8)}/${verifier.region}/${verifier.service}/aws4_request`;
  if (scope !== wanted) return `Credential should be scoped to a valid region: ${scope} is not ${wanted}.`;
  const late = lateness(time, verifier.now);
  if (late !== null) return late;
  const names = signedHeaders.split(';');
  const unsigned = mustBeSigned(request).filter((name) => !names.includes(name));
  if (unsigned.length > 0) return `These headers must be signed: ${unsigned.join(', ')}.`;
  const declared = header(request, 'x-amz-content-sha256');
  const bodyHash = sha256(request.body);
  if (declared !== undefined && declared !== bodyHash) return 'The value of x-amz-content-sha256 is not the hash.';
  const canonical = canonicalRequest(request, names, bodyHash);
  const stringToSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${identity.secretAccessKey}`);
  if (hmac(key, stringToSign).toString('hex') === signature) return null;
  return `The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.\n\nThe Canonical String for this request should have been\n'${canonical}'`;
}

const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

function header({ headers }: RawRequest, name: string): string | undefined {
  const values = headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => squeezed(value));
  return values.length === 0 ? undefined : values.join(',');
}
const squeezed = (value: string): string => value.trim().replace(/\s+/g, ' ');

/** The host, the content type if there is one, and everything of Amazon's. */
const mustBeSigned = ({ headers }: RawRequest): string[] =>
  headers
    .map(([name]) => name.toLowerCase())
    .filter((name) => name === 'host' || name === 'content-type' || name.startsWith('x-amz-'));

const FORGIVEN_MS = 5 * 60_000;
function lateness(time: string, now: number): string | null {
  const at = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (Number.isNaN(at)) return 'The date of the request is missing.';
  if (at < now - FORGIVEN_MS) return `Signature expired: ${time} is now earlier than five minutes ago`;
  return at > now + FORGIVEN_MS ? `Signature not yet current: ${time} is still later than in five minutes` : null;
}

function canonicalRequest(request: RawRequest, names: readonly string[], bodyHash: string): string {
  const [path = '', query = ''] = halves(request.target, '?');
  const lines = names.map((name) => `${name}:${header(request, name) ?? ''}\n`).join('');
  return [request.method, canonicalPath(path), canonicalQuery(query), lines, names.join(';'), bodyHash].join('\n');
}

/** Without empty and dot segments; what came encoded is encoded once more, as for every service but S3. */
function canonicalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(uriEncoded(part));
  }
  return `/${parts.join('/')}${parts.length > 0 && path.endsWith('/') ? '/' : ''}`;
}

/** Decoded and encoded again, so once in the end; in the order of the encoded names, then values. */
function canonicalQuery(query: string): string {
  // A plus may be meant as a space or as itself, and which of both API Gateway takes is written nowhere.
  if (query.includes('+')) throw new Error(`the query ${query} has an ambiguous plus`);
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => halves(pair, '=').map((half) => uriEncoded(decodeURIComponent(half))));
  return pairs
    .map(([name = '', value = '']) => [name, value] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
function halves(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const uriEncoded = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
