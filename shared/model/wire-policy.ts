import type { RetryPolicy } from './retry-policy.ts';

/** A retry policy as the HTTP API writes it. */
export type WirePolicy =
  | {
      readonly kind: 'exponential';
      readonly maximum_attempts: number;
      readonly initial_interval_ms: number;
      readonly backoff_coefficient: number;
      readonly maximum_interval_ms: number;
      readonly jitter: boolean;
    }
  | {
      readonly kind: 'fixed';
      readonly maximum_attempts: number;
      readonly interval_ms: number;
      readonly jitter: boolean;
    }
  | { readonly kind: 'none' };

export function policyToWire(policy: RetryPolicy): WirePolicy {
  switch (policy.kind) {
    case 'none':
      return { kind: 'none' };
    case 'fixed':
      return {
        kind: 'fixed',
        maximum_attempts: policy.maximumAttempts,
        interval_ms: policy.intervalMs,
        jitter: policy.jitter,
      };
    case 'exponential':
      return {
        kind: 'exponential',
        maximum_attempts: policy.maximumAttempts,
        initial_interval_ms: policy.initialIntervalMs,
        backoff_coefficient: policy.backoffCoefficient,
        maximum_interval_ms: policy.maximumIntervalMs,
        jitter: policy.jitter,
      };
  }
}

export function policyFromWire(policy: WirePolicy): RetryPolicy {
  switch (policy.kind) {
    case 'none':
      return { kind: 'none' };
    case 'fixed':
      return {
        kind: 'fixed',
        maximumAttempts: policy.maximum_attempts,
        intervalMs: policy.interval_ms,
        jitter: policy.jitter,
      };
    case 'exponential':
      return {
        kind: 'exponential',
        maximumAttempts: policy.maximum_attempts,
        initialIntervalMs: policy.initial_interval_ms,
        backoffCoefficient: policy.backoff_coefficient,
        maximumIntervalMs: policy.maximum_interval_ms,
        jitter: policy.jitter,
      };
  }
}
