import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto';

type Claims = Readonly<Record<string, unknown>>;

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part: string): Claims => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Claims;

/** Signs tokens, and publishes the keys to verify them with. */
export class TokenIssuer {
  readonly #key: KeyObject;
  readonly #jwk: JsonWebKey;

  constructor(readonly url: string) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#key = privateKey;
    this.#jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };
  }

  /** As at `/.well-known/jwks.json`. */
  keys(): readonly JsonWebKey[] {
    return [this.#jwk];
  }

  issue(claims: Claims, header: Claims = {}): string {
    const now = Math.floor(Date.now() / 1000);
    const text = [
      encoded({ alg: 'RS256', typ: 'JWT', kid: 'one', ...header }),
      encoded({ iss: this.url, iat: now, exp: now + 3600, ...claims }),
    ].join('.');
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), this.#key).toString('base64url')}`;
  }
}

export interface TokenRule {
  readonly issuer: string;
  readonly audience: readonly string[];
}

/** The claims of a token that an HTTP API would let through; null for any other. */
export function verifyToken(token: string, rule: TokenRule, keys: readonly JsonWebKey[]): Claims | null {
  try {
    const [head = '', body = '', signature = ''] = token.split('.');
    const { alg, kid } = decoded(head);
    const jwk = keys.find((key) => key['kid'] === kid);
    if (alg !== 'RS256' || jwk === undefined) return null;
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    if (!verify('RSA-SHA256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) return null;
    const claims = decoded(body);
    return isCurrent(claims, Date.now() / 1000) && claims['iss'] === rule.issuer && isFor(claims, rule) ? claims : null;
  } catch {
    return null;
  }
}

const isCurrent = ({ exp, nbf, iat }: Claims, now: number): boolean =>
  typeof exp === 'number' && exp > now && Number(nbf ?? 0) <= now && Number(iat ?? 0) <= now + 1;

const isFor = ({ aud, client_id }: Claims, { audience }: TokenRule): boolean =>
  [aud, client_id].flat().some((each) => typeof each === 'string' && audience.includes(each));
