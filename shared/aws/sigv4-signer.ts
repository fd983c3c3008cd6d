import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Refusal, RequestSigner, SignableRequest } from '../ports/request-signer.ts';
import { type AwsCredentialChoice, CredentialSource } from './credential-source.ts';
import { signingRegion } from './signing-region.ts';

export interface SigV4SignerOptions {
  readonly hostname: string;
  readonly credentials: AwsCredentialChoice;
  readonly region: string | undefined;
  /** API Gateway's if not given. */
  readonly service?: string;
  readonly now: () => number;
}

/** AWS forgives five minutes; from four on the AWS SDK takes a clock for wrong. */
const SKEW_MS = 4 * 60_000;

/** Signs calls to AWS. A refusal may teach it the time, or make it ask for other credentials. */
export class SigV4Signer implements RequestSigner {
  readonly #credentials: CredentialSource;
  readonly #signer: SignatureV4;
  readonly #now: () => number;
  #region: Promise<string> | null = null;
  #clockOffsetMs = 0;

  constructor({ credentials, hostname, region, service = 'execute-api', now }: SigV4SignerOptions) {
    const profile = typeof credentials === 'object' && 'profile' in credentials ? credentials.profile : undefined;
    this.#credentials = new CredentialSource(credentials, now);
    this.#now = now;
    this.#signer = new SignatureV4({
      service,
      region: () => (this.#region ??= signingRegion({ hostname, region, profile })),
      credentials: async () => {
        const { accessKeyId, secretAccessKey, sessionToken } = await this.#credentials.get();
        return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
      },
      sha256: Sha256,
    });
  }

  async sign({ method, url, headers, body }: SignableRequest): Promise<Readonly<Record<string, string>>> {
    const signed = await this.#signer.sign(
      {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        // As it goes over the wire; it is encoded once more for the signature, as API Gateway does it.
        path: url.pathname,
        query: queryOf(url),
        headers: { ...headers, host: url.host },
        body,
      },
      { signingDate: new Date(this.#now() + this.#clockOffsetMs) },
    );
    const { host: _host, ...added } = signed.headers;
    return added;
  }

  async reconsider({ signature, serverTime }: Refusal): Promise<boolean> {
    if (serverTime !== null && Math.abs(serverTime - signedAt(signature)) >= SKEW_MS) {
      this.#clockOffsetMs = serverTime - this.#now();
      return true;
    }
    const [, accessKeyId = ''] = /Credential=([^/]+)\//.exec(signature['authorization'] ?? '') ?? [];
    return this.#credentials.hasOthers(accessKeyId);
  }
}

function queryOf({ searchParams }: URL): Record<string, string[]> {
  const names = new Set(searchParams.keys());
  return Object.fromEntries([...names].map((name) => [name, searchParams.getAll(name)]));
}

/** `20300102T030405Z` */
function signedAt(signature: Refusal['signature']): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(signature['x-amz-date'] ?? '')?.slice(1) ?? [];
  const [year = 0, month = 0, ...rest] = parts.map(Number);
  return Date.UTC(year, month - 1, ...rest);
}
