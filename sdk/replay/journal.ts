import type { Failure } from '../../shared/model/failure.ts';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import type { StepKind } from '../../shared/model/step.ts';
import type { RunInfo } from '../context.ts';
import { CancelledError } from '../errors.ts';

/** A step as it is recorded, whatever the way to the record. Payloads are encoded values. */
export interface RecordedStep {
  /** Its place: scope, id and occurrence. */
  readonly key: string;
  readonly kind: StepKind;
  readonly epoch: number;
  /** The how-manieth thing the code asked for. */
  readonly position: number | null;
  /** The how-manieth outcome the code saw; null while it has seen none. */
  readonly order: number | null;
  readonly attempt: number;
  readonly startedAt: number;
  readonly childRunId: string | null;
  readonly state: StepState;
}

export type StepState =
  | { readonly status: 'RUNNING' }
  | { readonly status: 'PENDING'; readonly nextRetryAt: number }
  | { readonly status: 'SLEEPING'; readonly wakeAt: number }
  | { readonly status: 'COMPLETED'; readonly output: string | undefined; readonly finishedAt: number }
  | { readonly status: 'FAILED'; readonly error: Failure; readonly finishedAt: number };

export type Outcome = Extract<StepState, { readonly status: 'COMPLETED' | 'FAILED' }>;

/** How a step is identified in every call about it. */
export interface StepPlace {
  readonly key: string;
  /** Null for what the code did not ask for itself. */
  readonly position: number | null;
  readonly parallelGroup: string | null;
}

export interface ChildRequest {
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string | undefined;
  readonly externalId: string | undefined;
  readonly input: string | undefined;
  readonly retryPolicy: RetryPolicy | undefined;
}

export interface ChildEnd {
  readonly runId: string;
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly output: string | undefined;
  readonly error: Failure | null;
}

/** What came from outside and lies in the run's inbox. */
export interface Arrivals {
  /** How many there had been when it was read: suspending is refused if there are more by then. */
  readonly count: number;
  /** Keys of child steps whose runs have ended. */
  readonly endedChildren: ReadonlyMap<string, string>;
  readonly cancel: { readonly reason: string | null; readonly until: number } | null;
}

/** Why a child is cancelled whose result its parent waits for no more. */
export const LOST_RACE = 'it lost a race';

export interface Wait {
  readonly at: number;
  /** Whether the run waits for a sleep or a child, or for the next attempt of a step. */
  readonly status: 'SLEEPING' | 'PENDING';
  readonly arrivals: number;
}

/** Whatever it throws with this class ends the execution quietly: the run is somebody else's, or over. */
export class RunLostError extends Error {
  override readonly name = 'RunLostError';

  /** What bodies are told through their signals: that the run was cancelled, if that is why. */
  get reason(): Error {
    const { details } = (this.cause ?? {}) as { readonly details?: { readonly status?: unknown } };
    return details?.status === 'CANCELLED' ? new CancelledError() : this;
  }
}

/**
 * The way from a running workflow to its record. Every call throws RunLostError once the run is no longer this
 * worker's. Results are write-once: what comes back is what is recorded, perhaps by somebody else.
 */
export interface Journal {
  readonly run: RunInfo;
  readonly incarnation: string;
  /** When the run was first claimed. */
  readonly startedAt: number;
  readonly input: string | undefined;
  readonly steps: readonly RecordedStep[];

  readArrivals(): Promise<Arrivals>;
  /** Calls back when something may have arrived since the last read. */
  onArrival(callback: () => void): void;
  /** Before a body starts: that the run was ours less than a second ago. Records the start if `visible`. */
  begin(place: StepPlace, start: { readonly attempt: number; readonly visible: boolean }): Promise<RecordedStep | null>;
  /** The body has run for a while: the start becomes visible, unless it is already. */
  showStart(place: StepPlace, startedAt: number): Promise<void>;
  complete(place: StepPlace, result: StepResult): Promise<RecordedStep>;
  /** PENDING if there will be another attempt; FAILED if not, and then `order` counts. */
  fail(place: StepPlace, failed: StepFailure): Promise<RecordedStep>;
  sleep(place: StepPlace, until: number): Promise<RecordedStep>;
  /** Records when the code saw an outcome that was recorded without saying so. */
  observe(key: string, order: number): Promise<void>;
  startChild(place: StepPlace, request: ChildRequest): Promise<string>;
  childEnd(runId: string): Promise<ChildEnd>;
  /** Ends a child whose result nobody waits for any more, unless it has ended, or was not this run's to begin with. */
  cancelChild(runId: string): Promise<void>;

  /** False if something arrived that nobody has read: then the run is still ours. */
  suspend(wait: Wait): Promise<boolean>;
  completeRun(output: string | undefined): Promise<void>;
  /** Answers when it is tried again; null if it has failed for good. */
  failRun(
    error: Failure,
    options: { readonly final: boolean; readonly retryAfterMs: number | undefined },
  ): Promise<number | null>;
  cancelRun(reason: string | null): Promise<void>;
  /** Gives the run up unfinished, for another worker to go on with. */
  release(): Promise<void>;
}

export interface StepResult {
  readonly output: string | undefined;
  readonly order: number;
  readonly attempt: number;
  readonly startedAt: number;
}

export interface StepFailure {
  readonly error: Failure;
  readonly retryAfterMs: number | undefined;
  /** The step's own; the run's, or the default, counts if there is none. */
  readonly retryPolicy: RetryPolicy | undefined;
  readonly order: number;
  readonly attempt: number;
  readonly startedAt: number;
}
