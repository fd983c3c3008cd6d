import type { Failure } from './failure.ts';
import type { RetryDecision } from './retry-policy.ts';
import { type FailedStep, MAX_ATTEMPTS_KEPT, type RetryingStep, type RunningStep, type StepAttempt } from './step.ts';

/** A step after an attempt of it has failed: it waits for the next one, or has failed for good. */
export function failedStep(
  step: RunningStep,
  error: Failure,
  decision: RetryDecision,
  now: number,
): RetryingStep | FailedStep {
  const attempt: StepAttempt = {
    attempt: step.attempt,
    startedAt: step.startedAt,
    finishedAt: now,
    code: error.code,
    message: error.message.slice(0, 200).toWellFormed(),
  };
  const failedAttempts = [...step.failedAttempts, attempt].slice(-MAX_ATTEMPTS_KEPT);
  return decision.retry
    ? { ...step, failedAttempts, error, status: 'PENDING', attempt: step.attempt + 1, nextRetryAt: decision.at }
    : { ...step, failedAttempts, error, status: 'FAILED', finishedAt: now };
}
