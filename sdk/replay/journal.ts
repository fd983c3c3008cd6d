import type { Failure } from '../../shared/model/failure.ts';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import type { StepKind } from '../../shared/model/step.ts';
import type { Told, Trace } from '../../shared/model/trace.ts';
import type { RunInfo } from '../context.ts';
import { CancelledError } from '../errors.ts';

/** A step as it is recorded, whatever the way to the record. Payloads are encoded values. */
export interface RecordedStep {
  /** Its place: scope, id and occurrence. */
  readonly key: string;
  readonly kind: StepKind;
  /** By epoch: where it stood in the executions of those owners who said so. */
  readonly traces: readonly Trace[];
  readonly attempt: number;
  readonly startedAt: number;
  readonly childRunId: string | null;
  readonly childType: string | null;
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
  readonly kind: StepKind;
  readonly parallelGroup: string | null;
  /** How many things the code had asked for before. */
  readonly position: number;
  /** How many outcomes it had been told of, and how many sleeps had ended that it waited for alone. */
  readonly seen: number;
  readonly slept: number;
  /** The last outcome that this execution found recorded and told the code of. */
  readonly base: Told;
}

export interface ChildRequest {
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string | undefined;
  readonly externalId: string | undefined;
  readonly input: string | undefined;
  readonly retryPolicy: RetryPolicy | undefined;
}

/** What a step has waited for. */
export interface Child {
  readonly runId: string;
  readonly type: string;
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

/** When a sleep ends: at a time, or so long after it is recorded, by the clock of the engine. */
export type Wake = { readonly until: number } | { readonly afterMs: number };

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
  /** Of this worker's claim. */
  readonly epoch: number;
  /** When the run was first claimed. */
  readonly startedAt: number;
  readonly input: string | undefined;
  readonly steps: readonly RecordedStep[];

  readArrivals(): Promise<Arrivals>;
  /** Calls back when something may have arrived since the last read. */
  onArrival(callback: () => void): void;
  /** Before a body starts: that the run was ours less than a second ago. Records the start if `visible`. */
  begin(
    place: StepPlace,
    start: { readonly attempt: number; readonly visible: boolean },
  ): Promise<RecordedStep | null> | null;
  /** The body has run for a while: the start becomes visible, unless it is already. */
  showStart(place: StepPlace, start: { readonly attempt: number; readonly startedAt: number }): Promise<void>;
  complete(place: StepPlace, result: StepResult): Promise<RecordedStep>;
  /** PENDING if there will be another attempt; FAILED if not. */
  fail(place: StepPlace, failed: StepFailure): Promise<RecordedStep>;
  sleep(place: StepPlace, wake: Wake): Promise<RecordedStep>;
  /** Records that the code is told of an outcome which is recorded without saying so. */
  observe(place: StepPlace, order: number): Promise<void>;
  /** The same call again finds the same child, which may have ended by then. */
  startChild(place: StepPlace, request: ChildRequest): Promise<{ readonly ended: boolean }>;
  /** Null if the child was deleted, or its retention has ended. */
  childEnd(place: StepPlace, runId: string): Promise<ChildEnd | null>;
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
  readonly child?: Child;
  readonly output: string | undefined;
  /** Undefined for what the code is not told of. */
  readonly order: number | undefined;
  readonly attempt: number;
  readonly startedAt: number;
}

export interface StepFailure {
  readonly child?: Child;
  readonly error: Failure;
  readonly retryAfterMs: number | undefined;
  /** The step's own; the run's, or the default, counts if there is none. */
  readonly retryPolicy: RetryPolicy | undefined;
  /** Only of an error that is not retryable: an order that nothing is told under would look like a lost record. */
  readonly order: number | undefined;
  readonly attempt: number;
  readonly startedAt: number;
}
