import { type Duration, durationMs } from '../shared/model/duration.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../shared/model/retry-policy.ts';
import { type Check, checkNames, isDuration, isFlag, isOneOf, isWholeNumber, shown } from './check-options.ts';

/** `attempts` counts the first one. A bare number of attempts is exponential with the usual waits. */
export type Retry =
  | 'none'
  | number
  | {
      readonly kind?: 'exponential';
      readonly attempts?: number;
      readonly initial?: Duration;
      readonly factor?: number;
      readonly max?: Duration;
      readonly jitter?: boolean;
    }
  | { readonly kind: 'fixed'; readonly attempts?: number; readonly interval: Duration; readonly jitter?: boolean };

const MAX_ATTEMPTS = 10_000;

const isFactor: Check = (value) => {
  if (typeof value !== 'number' || !(value >= 1 && value <= 100)) {
    throw new RangeError(`${shown(value)} is not a number from 1 to 100`);
  }
};
const isAttempts = isWholeNumber(1, MAX_ATTEMPTS);
const BOTH = { kind: isOneOf(['exponential', 'fixed']), attempts: isAttempts, jitter: isFlag };
const FIXED = { ...BOTH, interval: isDuration };
const EXPONENTIAL = { ...BOTH, initial: isDuration, factor: isFactor, max: isDuration };

/** Undefined where nothing was said: then the policy above counts. Throws what is wrong with it. */
export function retryPolicyOf(retry: Retry | undefined): RetryPolicy | undefined {
  if (retry === undefined) return undefined;
  if (retry === 'none') return { kind: 'none' };
  if (typeof retry === 'number') {
    isAttempts(retry);
    return { ...DEFAULT_RETRY_POLICY, maximumAttempts: retry } as RetryPolicy;
  }
  if (typeof retry !== 'object' || retry === null) {
    throw new TypeError(`${shown(retry)} is no retry policy: give a number of attempts, "none" or an object`);
  }
  checkNames(retry, retry.kind === 'fixed' ? FIXED : EXPONENTIAL);
  const maximumAttempts = retry.attempts ?? 3;
  const jitter = retry.jitter ?? false;
  if (retry.kind === 'fixed') return { kind: 'fixed', maximumAttempts, intervalMs: intervalOf(retry), jitter };
  return {
    kind: 'exponential',
    maximumAttempts,
    initialIntervalMs: durationMs(retry.initial ?? 1_000),
    backoffCoefficient: retry.factor ?? 2,
    maximumIntervalMs: durationMs(retry.max ?? 60_000),
    jitter,
  };
}

function intervalOf({ interval }: { readonly interval: Duration | undefined }): number {
  if (interval === undefined) throw new TypeError('a fixed retry needs its interval');
  return durationMs(interval);
}

export const isRetry: Check = (value) => void retryPolicyOf(value as Retry);
