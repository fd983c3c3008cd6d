import { lengthText, parseLength } from '../length-text.ts';
import type { Schedule } from '../wire.ts';

type Policy = Schedule['retry_policy'];

/** A retry policy as it is being written; what its kind has no use for stays for the time that it is changed back. */
export interface RetryDraft {
  readonly retries: Policy['kind'];
  readonly attempts: string;
  readonly firstWait: string;
  readonly factor: string;
  readonly longestWait: string;
  readonly spread: boolean;
}

export const RETRIES: Readonly<Record<Policy['kind'], string>> = {
  exponential: 'After ever longer waits',
  fixed: 'After even waits',
  none: 'Never',
};

/** What the engine does if it is told nothing. */
const DEFAULT: Extract<Policy, { readonly kind: 'exponential' }> = {
  kind: 'exponential',
  maximum_attempts: 3,
  initial_interval_ms: 1_000,
  backoff_coefficient: 2,
  maximum_interval_ms: 60_000,
  jitter: false,
};

export function retryDraftOf(policy: Policy = DEFAULT): RetryDraft {
  const exponential = policy.kind === 'exponential' ? policy : DEFAULT;
  const wait = policy.kind === 'fixed' ? policy.interval_ms : exponential.initial_interval_ms;
  return {
    retries: policy.kind,
    attempts: String(policy.kind === 'none' ? DEFAULT.maximum_attempts : policy.maximum_attempts),
    firstWait: lengthText(wait),
    factor: String(exponential.backoff_coefficient),
    longestWait: lengthText(exponential.maximum_interval_ms),
    spread: policy.kind !== 'none' && policy.jitter,
  };
}

export function policyOf(draft: RetryDraft): Policy {
  const { retries, spread: jitter } = draft;
  const maximum_attempts = Number(draft.attempts);
  const firstMs = parseLength(draft.firstWait) ?? 0;
  if (retries === 'none') return { kind: 'none' };
  if (retries === 'fixed') return { kind: 'fixed', maximum_attempts, interval_ms: firstMs, jitter };
  return {
    kind: 'exponential',
    maximum_attempts,
    initial_interval_ms: firstMs,
    backoff_coefficient: Number(draft.factor),
    maximum_interval_ms: parseLength(draft.longestWait) ?? 0,
    jitter,
  };
}

/** `3 attempts, 1s apart at first` */
export function showPolicy(policy: Policy): string {
  if (policy.kind === 'none') return 'none';
  const wait = policy.kind === 'fixed' ? policy.interval_ms : policy.initial_interval_ms;
  return `${policy.maximum_attempts} attempts, ${lengthText(wait)} apart${policy.kind === 'fixed' ? '' : ' at first'}`;
}
