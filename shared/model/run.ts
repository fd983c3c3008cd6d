import type { Failure } from './failure.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { StoredPayload } from './stored-payload.ts';

export const RUN_STATUSES = ['PENDING', 'RUNNING', 'SLEEPING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** What the list index is partitioned by. */
export const RUN_CLASSES = ['OPEN', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type RunClass = (typeof RUN_CLASSES)[number];

export interface RunId {
  readonly namespace: string;
  readonly runId: string;
}

export interface Parent {
  readonly runId: string;
  readonly incarnation: string;
  readonly stepId: string;
}

interface RunFacts extends RunId {
  /** Minted by start: a run under a reused id shares nothing with the one before. */
  readonly incarnation: string;
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string;
  readonly externalId: string | null;
  readonly scheduleId: string | null;
  /** The time for which its schedule started it, which may be before it was created. */
  readonly fireAt: number | null;
  /** Others wait for its end: the schedule must be told. */
  readonly tellsSchedule: boolean;
  readonly parent: Parent | null;
  /** Whether it has started runs that must end with it. */
  readonly children: boolean;
  readonly retryPolicy: RetryPolicy | null;
  readonly input: StoredPayload | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  /** Counts claims, takeovers and cancels: the fence of every later write to the head. */
  readonly epoch: number;
  /** Runs of the workflow function that failed and were retried, plus the current one. */
  readonly attempts: number;
  /** Takeovers of a lapsed lease since the last progress. */
  readonly stalls: number;
  /** How often in a row it was put down until a time that had come already, with nothing new recorded. */
  readonly idle: number;
  /** Dispatches re-sent since the run last moved. */
  readonly resends: number;
  /** History items that exist at least, as of the last write of the head. */
  readonly steps: number;
  readonly history: History;
  /** Arrivals from outside so far. */
  readonly inbox: number;
  /** What a timer was armed for when the run was put down last; null if a message sufficed. */
  readonly timerAt: number | null;
  /** When a cancellation with a grace ends it, whatever it does. */
  readonly cancelAt: number | null;
  /** Whether payloads of this run may lie in Blobs. */
  readonly blobs: boolean;
  readonly cost: { readonly writeUnits: number; readonly readUnits: number; readonly queueCalls: number };
  /** The last write of the head, so that an ambiguous one is recognised as one's own. */
  readonly writeId: string;
  readonly dueAt: number | null;
}

export interface History {
  /** Step items of this generation are not packed yet. */
  readonly generation: number;
  /** Chunks of earlier generations, oldest first. An id is used once, so a pack never changes. */
  readonly packs: readonly { readonly id: string; readonly parts: number }[];
  readonly packedSteps: number;
  /** A packed generation in which a result may have been acknowledged while it was packed; null once it was looked at again. */
  readonly recheck: number | null;
  /** Items that are not packed were born after this, and live as long as that makes them. */
  readonly looseSince: number;
  /** Every packed item lives at least until this plus the retention. */
  readonly safeUntil: number;
}

export interface Lease {
  readonly until: number;
  /** For people; safety rests on the epoch. */
  readonly owner: string;
  readonly token: string;
  /** The worker whose heartbeats keep it alive; null for a lease its owner renews itself. */
  readonly session: string | null;
}

export type PendingRun = RunFacts & { readonly status: 'PENDING'; readonly availableAt: number };
export type SleepingRun = RunFacts & { readonly status: 'SLEEPING'; readonly availableAt: number };
export type RunningRun = RunFacts & { readonly status: 'RUNNING'; readonly lease: Lease };
interface Ended {
  readonly finishedAt: number;
  readonly expiresAt: number;
}
export type CompletedRun = RunFacts & Ended & { readonly status: 'COMPLETED'; readonly output: StoredPayload | null };
export type FailedRun = RunFacts &
  Ended & {
    readonly status: 'FAILED';
    /** Short enough for the head; the whole of it, where that is more, lies in `wholeError`. */
    readonly error: Failure;
    readonly wholeError: StoredPayload | null;
  };
export type CancelledRun = RunFacts & Ended & { readonly status: 'CANCELLED'; readonly reason: string | null };

export type OpenRun = PendingRun | SleepingRun | RunningRun;
export type EndedRun = CompletedRun | FailedRun | CancelledRun;
export type Run = OpenRun | EndedRun;

export const isEnded = (run: Run): run is EndedRun =>
  run.status === 'COMPLETED' || run.status === 'FAILED' || run.status === 'CANCELLED';

export const classOf = (status: RunStatus): RunClass =>
  status === 'PENDING' || status === 'RUNNING' || status === 'SLEEPING' ? 'OPEN' : status;
