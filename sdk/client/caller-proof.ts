import type { RequestSigner, SignableRequest } from '../../shared/ports/request-signer.ts';
import { type AwsCredentialChoice, awsSigner } from './aws-signer.ts';

/** How a caller proves who it is: one way, or none. */
export type CallerProof =
  | {
      /** A bearer token. */
      readonly token?: string;
      readonly credentials?: never;
      readonly region?: never;
      readonly sign?: never;
    }
  | {
      /**
       * AWS credentials to sign every request with (SigV4): `'default'` finds them as the AWS SDK does, `{ profile }`
       * takes those of a profile; or a credential provider of the AWS SDK, or the keys themselves.
       */
      readonly credentials?: AwsCredentialChoice;
      /** To sign for. Taken from an API Gateway's host name, AWS_REGION or the profile if not given. */
      readonly region?: string;
      readonly token?: never;
      readonly sign?: never;
    }
  | {
      /** Anything else: answers the headers to add. Asked anew for every attempt. */
      readonly sign?: (request: SignableRequest) => Promise<Readonly<Record<string, string>>>;
      readonly token?: never;
      readonly credentials?: never;
      readonly region?: never;
    };

/** Throws for more than one way. */
export function signerOf(proof: CallerProof, hostname: string, now: () => number): RequestSigner | null {
  const { token, credentials, region, sign } = proof;
  const given = Object.entries({ token, credentials, sign }).flatMap(([name, value]) =>
    value === undefined ? [] : [`\`${name}\``],
  );
  if (given.length > 1) throw new TypeError(`${given.join(' and ')} exclude each other: give one of them.`);
  if (region !== undefined && credentials === undefined) throw new TypeError('`region` goes with `credentials`.');
  if (token !== undefined) return { sign: async () => ({ authorization: `Bearer ${token}` }) };
  if (credentials !== undefined) return awsSigner({ hostname, credentials, region, now });
  return sign === undefined ? null : { sign };
}
