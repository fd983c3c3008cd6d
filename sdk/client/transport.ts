import type { Failure } from '../../shared/model/failure.ts';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import type { RunStatus } from '../../shared/model/run.ts';
import type { StepKind, StepStatus } from '../../shared/model/step.ts';
import type { ExportedRun } from '../exported-run.ts';
import type { Page } from './page.ts';
import type { ScheduleTransport } from './schedule-transport.ts';

/** A run as a transport answers it. Payloads are encoded values. */
export interface RunRecord {
  readonly runId: string;
  readonly externalId: string | null;
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string;
  /** If a schedule has started it, which one, and for what time. */
  readonly scheduleId: string | null;
  readonly fireAt: Date | null;
  readonly status: RunStatus;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** When a waiting run goes on. */
  readonly availableAt: Date | null;
  readonly input?: string | undefined;
  readonly output?: string | undefined;
  readonly error: Failure | null;
  readonly cancelReason: string | null;
}

export interface StepRecord {
  readonly stepId: string;
  readonly kind: StepKind;
  readonly status: StepStatus;
  readonly attempt: number;
  readonly createdAt: Date;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly nextRetryAt: Date | null;
  readonly wakeAt: Date | null;
  readonly childRunId: string | null;
  readonly error: Failure | null;
  readonly output?: string | undefined;
}

export interface StartRequest {
  readonly workflowType: string;
  readonly version: string | undefined;
  readonly taskQueue: string;
  readonly externalId: string | undefined;
  readonly input: string | undefined;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly startAt: number | undefined;
  /** Counted by the clock of the engine. */
  readonly delayMs?: number | undefined;
}

export interface RunFilter {
  readonly class?: 'OPEN' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly status?: RunStatus;
  readonly workflowType?: string;
  readonly version?: string;
  readonly taskQueue?: string;
  readonly externalId?: string;
  /** Those that a schedule has started. */
  readonly scheduleId?: string;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

/** The way from a client to an engine: over HTTP, or in the same process. */
export interface Transport {
  readonly schedules: ScheduleTransport;
  start(request: StartRequest): Promise<{ readonly runId: string; readonly alreadyExists: boolean }>;
  /** Answers when the run has ended or `waitMs` have passed; gives up after `limitMs` if nobody answers. */
  get(runId: string, waitMs: number, limitMs?: number): Promise<RunRecord>;
  cancel(
    runId: string,
    options: { readonly reason: string | null; readonly graceMs: number | null },
  ): Promise<RunRecord>;
  list(filter: RunFilter, pageToken: string | undefined): Promise<Page<RunRecord>>;
  steps(runId: string, pageToken: string | undefined): Promise<Page<StepRecord>>;
  /** A finished run with its whole history. */
  export(runId: string): Promise<ExportedRun>;
}
