import type { Failure } from './failure.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { StoredPayload } from './stored-payload.ts';
import type { Trace } from './trace.ts';

export const STEP_KINDS = ['FUNCTION', 'SLEEP', 'CHILD_WORKFLOW'] as const;
export type StepKind = (typeof STEP_KINDS)[number];

export const STEP_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export interface StepAttempt {
  readonly attempt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly code: string;
  readonly message: string;
}

/** Place of a step among others; none of it takes part in its identity. */
export interface StepLineage {
  readonly parentStepId: string | null;
  readonly parallelGroup: string | null;
  readonly childRunId: string | null;
  /** The workflow type of the child. */
  readonly childType: string | null;
}

interface StepFacts extends StepLineage {
  readonly stepId: string;
  readonly kind: StepKind;
  readonly epoch: number;
  readonly attempt: number;
  readonly writeId: string;
  /** Proves to complete and fail that they speak for the attempt that begin started. */
  readonly leaseToken: string | null;
  /** By epoch: where the step stood in the executions of those owners who said so. */
  readonly traces: readonly Trace[];
  readonly input: StoredPayload | null;
  readonly inputDigest: string | null;
  readonly retryPolicy: RetryPolicy | null;
  readonly createdAt: number;
  readonly startedAt: number;
  /** Failed attempts, newest last, at most MAX_ATTEMPTS_KEPT. */
  readonly failedAttempts: readonly StepAttempt[];
  /** Write units spent on this item so far. */
  readonly writeUnits: number;
  /** Read units spent on proving the lease for it. */
  readonly readUnits: number;
}

export type RunningStep = StepFacts & { readonly status: 'RUNNING' };
export type RetryingStep = StepFacts & {
  readonly status: 'PENDING';
  readonly nextRetryAt: number;
  readonly error: Failure;
};
export type SleepStep = StepFacts & { readonly status: 'SLEEPING'; readonly wakeAt: number };
export type CompletedStep = StepFacts & {
  readonly status: 'COMPLETED';
  readonly output: StoredPayload | null;
  readonly finishedAt: number;
};
export type FailedStep = StepFacts & {
  readonly status: 'FAILED';
  readonly error: Failure;
  readonly finishedAt: number;
};

export type Step = RunningStep | RetryingStep | SleepStep | CompletedStep | FailedStep;

export const MAX_ATTEMPTS_KEPT = 20;

/** Recorded for good: first writer wins, losers adopt it. A sleep's wake time is such a decision too. */
export const isDecided = (step: Step): boolean =>
  step.status === 'COMPLETED' || step.status === 'FAILED' || step.status === 'SLEEPING';

/** A sleep is over when its time has come: nothing is written for that. */
export function statusAt(step: Step, now: number): StepStatus {
  return step.status === 'SLEEPING' ? (step.wakeAt <= now ? 'COMPLETED' : 'RUNNING') : step.status;
}
