import { type Duration, durationMs } from '../shared/model/duration.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../shared/model/retry-policy.ts';

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

function attemptsOf(attempts: number | undefined): number {
  const count = attempts ?? 3;
  if (!Number.isInteger(count) || count < 1 || count > MAX_ATTEMPTS) {
    throw new RangeError(`${count} attempts: give a whole number from 1 to ${MAX_ATTEMPTS}`);
  }
  return count;
}

/** Undefined where nothing was said: then the policy above counts. */
export function retryPolicyOf(retry: Retry | undefined): RetryPolicy | undefined {
  if (retry === undefined) return undefined;
  if (retry === 'none') return { kind: 'none' };
  if (typeof retry === 'number') return { ...DEFAULT_RETRY_POLICY, maximumAttempts: attemptsOf(retry) } as RetryPolicy;
  const jitter = retry.jitter ?? false;
  const maximumAttempts = attemptsOf(retry.attempts);
  if (retry.kind === 'fixed') return { kind: 'fixed', maximumAttempts, intervalMs: durationMs(retry.interval), jitter };
  const factor = retry.factor ?? 2;
  if (!(factor >= 1 && factor <= 100)) throw new RangeError(`a factor of ${factor}: give a number from 1 to 100`);
  return {
    kind: 'exponential',
    maximumAttempts,
    initialIntervalMs: durationMs(retry.initial ?? 1_000),
    backoffCoefficient: factor,
    maximumIntervalMs: durationMs(retry.max ?? 60_000),
    jitter,
  };
}
