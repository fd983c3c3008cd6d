export type RetryPolicy =
  | {
      readonly kind: 'exponential';
      readonly maximumAttempts: number;
      readonly initialIntervalMs: number;
      readonly backoffCoefficient: number;
      readonly maximumIntervalMs: number;
      readonly jitter: boolean;
    }
  | { readonly kind: 'fixed'; readonly maximumAttempts: number; readonly intervalMs: number; readonly jitter: boolean }
  | { readonly kind: 'none' };

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  kind: 'exponential',
  maximumAttempts: 3,
  initialIntervalMs: 1_000,
  backoffCoefficient: 2,
  maximumIntervalMs: 60_000,
  jitter: false,
};

export const maximumAttempts = (policy: RetryPolicy): number => (policy.kind === 'none' ? 1 : policy.maximumAttempts);

/** How long to wait after the given attempt (1 is the first) failed; `random` in [0, 1) spreads it by ±25 % if asked. */
export function retryDelayMs(policy: RetryPolicy, attempt: number, random: number): number {
  switch (policy.kind) {
    case 'none':
      return 0;
    case 'fixed':
      return spread(policy.intervalMs, policy.jitter, random);
    case 'exponential': {
      // A huge power times zero is no number.
      const factor = Math.min(policy.backoffCoefficient ** Math.max(0, attempt - 1), Number.MAX_SAFE_INTEGER);
      return spread(Math.min(policy.initialIntervalMs * factor, policy.maximumIntervalMs), policy.jitter, random);
    }
  }
}

const spread = (ms: number, jitter: boolean, random: number): number =>
  Math.round(jitter ? ms * (0.75 + random / 2) : ms);

export type RetryDecision = { readonly retry: false } | { readonly retry: true; readonly at: number };

/** A non-retryable error ends it; an explicit wait wins over the policy's, but never over its number of attempts. */
export function decideRetry(
  policy: RetryPolicy,
  attempt: number,
  error: { readonly nonRetryable: boolean; readonly retryAfterMs?: number | undefined },
  now: number,
  random: number,
): RetryDecision {
  if (error.nonRetryable || attempt >= maximumAttempts(policy)) return { retry: false };
  return { retry: true, at: now + (error.retryAfterMs ?? retryDelayMs(policy, attempt, random)) };
}
