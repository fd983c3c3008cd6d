import { SigningError } from '../model/signing-error.ts';

/** What the AWS SDK calls an identity. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

/** Any provider of the AWS SDK is one. */
export type AwsCredentialProvider = () => Promise<AwsCredentials>;

/** Where they come from: the AWS SDK's default chain, a profile, a provider, or here they are. */
export type AwsCredentialChoice = 'default' | { readonly profile: string } | AwsCredentialProvider | AwsCredentials;

/** Credentials are renewed this long before they end, as the AWS SDK does it. */
const RENEW_BEFORE_MS = 5 * 60_000;
/** A refusal is no reason to ask for credentials again that were just asked for. */
const YOUNG_MS = 60_000;

interface Held {
  readonly credentials: AwsCredentials;
  readonly askedAt: number;
}

/** Remembers credentials, and asks for others when they end or are refused. */
export class CredentialSource {
  readonly #ask: AwsCredentialProvider;
  #held: Held | null = null;
  #asking: Promise<AwsCredentials> | null = null;

  constructor(
    choice: AwsCredentialChoice,
    private readonly now: () => number,
  ) {
    this.#ask = providerOf(choice);
  }

  async get(): Promise<AwsCredentials> {
    const held = this.#held;
    if (held !== null && this.#leftMs(held) > RENEW_BEFORE_MS) return held.credentials;
    try {
      return await this.#renew();
    } catch (error) {
      if (held !== null && this.#leftMs(held) > 0) return held.credentials;
      throw error;
    }
  }

  /** Whether there are others than those with which a request was refused. */
  async hasOthers(accessKeyId: string): Promise<boolean> {
    const held = this.#held;
    if (held?.credentials.accessKeyId !== accessKeyId) return held !== null;
    if (this.now() - held.askedAt < YOUNG_MS) return false;
    const renewed = await this.#renew().catch(() => held.credentials);
    return renewed.accessKeyId !== accessKeyId;
  }

  #leftMs({ credentials }: Held): number {
    return credentials.expiration === undefined
      ? Number.POSITIVE_INFINITY
      : credentials.expiration.getTime() - this.now();
  }

  #renew(): Promise<AwsCredentials> {
    this.#asking ??= this.#askAgain().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askAgain(): Promise<AwsCredentials> {
    const askedAt = this.now();
    let credentials: AwsCredentials;
    try {
      credentials = await this.#ask();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `There are no AWS credentials to sign with: ${reason}`;
      throw new SigningError('NO_CREDENTIALS', message, { cause, isTransient: this.#held !== null });
    }
    if (!isComplete(credentials)) {
      const message = 'The AWS credentials to sign with have no accessKeyId or no secretAccessKey.';
      throw new SigningError('NO_CREDENTIALS', message);
    }
    this.#held = { credentials, askedAt };
    return credentials;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isComplete = (given: Partial<AwsCredentials> | undefined | null): boolean =>
  isText(given?.accessKeyId) && isText(given?.secretAccessKey);

/** Files are read anew each time: a process may outlive the keys that it found there. */
function providerOf(choice: AwsCredentialChoice): AwsCredentialProvider {
  if (typeof choice === 'function') return choice;
  if (choice === 'default') {
    return async () => (await import('@aws-sdk/credential-provider-node')).defaultProvider({ ignoreCache: true })();
  }
  if ('profile' in choice) {
    const { profile } = choice;
    // Not the default chain: it would go on to other credentials than those that were asked for.
    return async () => (await import('@aws-sdk/credential-provider-ini')).fromIni({ profile, ignoreCache: true })();
  }
  return async () => choice;
}
