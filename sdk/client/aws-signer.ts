import type { AwsCredentialChoice } from '../../shared/aws/credential-source.ts';
import type { RequestSigner } from '../../shared/ports/request-signer.ts';

export type { AwsCredentialChoice, AwsCredentialProvider, AwsCredentials } from '../../shared/aws/credential-source.ts';

export interface AwsSignerOptions {
  readonly hostname: string;
  readonly credentials: AwsCredentialChoice;
  readonly region: string | undefined;
  readonly now: () => number;
}

/** SigV4. The AWS SDK is loaded with the first request, so that nobody else pays for it. */
export function awsSigner(options: AwsSignerOptions): RequestSigner {
  requireChoice(options.credentials);
  let loading: Promise<RequestSigner> | null = null;
  const loaded = (): Promise<RequestSigner> => {
    loading ??= import('../../shared/aws/sigv4-signer.ts').then(({ SigV4Signer }) => new SigV4Signer(options));
    return loading;
  };
  return {
    sign: async (request) => (await loaded()).sign(request),
    reconsider: async (refusal) => (await (await loaded()).reconsider?.(refusal)) ?? false,
  };
}

/** For callers without types. */
function requireChoice(choice: unknown): void {
  const isObject = typeof choice === 'object' && choice !== null;
  const isKnown = isObject ? 'profile' in choice || 'accessKeyId' in choice : choice === 'default';
  if (isKnown || typeof choice === 'function') return;
  throw new TypeError(
    "`credentials` are 'default', { profile }, a credential provider of the AWS SDK, or { accessKeyId, secretAccessKey }.",
  );
}
