import type { Fire } from '../../shared/model/fire.ts';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import type { RunStatus } from '../../shared/model/run.ts';
import type { GivenConfig, OverlapPolicy, ScheduleStatus, SkipReason } from '../../shared/model/schedule.ts';
import type { Page } from './page.ts';

export type GivenSpec = NonNullable<GivenConfig['spec']>;

/** What is undefined was not given: it is the default of a new schedule, and stays as it is in another. */
export interface ScheduleFields {
  readonly config: GivenConfig;
  /** Encoded; null takes it away. */
  readonly input: string | null | undefined;
  readonly enabled: boolean | undefined;
  readonly pauseReason: string | null | undefined;
}

export interface SkippedFires {
  readonly reason: SkipReason;
  readonly count: number;
  /** There were more than were counted. */
  readonly countCapped: boolean;
  readonly from: Date;
  readonly to: Date;
  readonly decidedAt: Date;
}

/** A schedule as a transport answers it. */
export interface ScheduleRecord {
  readonly scheduleId: string;
  readonly status: ScheduleStatus;
  /** Counts the changes that were made to it. */
  readonly revision: number;
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string;
  readonly cron: readonly string[];
  readonly intervals: readonly { readonly everyMs: number; readonly offsetMs: number }[];
  readonly timeZone: string;
  readonly startAt: Date | null;
  readonly endAt: Date | null;
  readonly jitterMs: number;
  readonly maxCatchup: number;
  readonly catchupWindowMs: number;
  readonly overlap: OverlapPolicy;
  readonly retryPolicy: RetryPolicy;
  readonly note: string | null;
  readonly pauseReason: string | null;
  readonly nextFireAt: Date | null;
  readonly lastFiredAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly fired: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<SkipReason, number>> & { readonly last: SkippedFires | null };
  readonly buffered: number;
  /** Whose end the overlap policy is about. */
  readonly running: { readonly runId: string; readonly fireAt: Date } | null;
  /** Why a run could not be started, if that ever was so. */
  readonly lastError: { readonly fireAt: Date; readonly message: string } | null;
  /** Encoded; lists do not have it. */
  readonly input?: string | undefined;
}

export type FireRecord =
  | {
      readonly what: 'fire';
      readonly kind: Fire['kind'];
      readonly fireAt: Date;
      readonly externalId: string;
      /** Null if the run could not be started. */
      readonly runId: string | null;
      /** Null if the run is no longer kept. */
      readonly runStatus: RunStatus | null;
      readonly error: string | null;
    }
  | ({ readonly what: 'skip' } & SkippedFires);

export interface ScheduleFilter {
  readonly taskQueue?: string;
  readonly workflowType?: string;
  readonly status?: ScheduleStatus;
}

export interface Triggered {
  readonly outcome: 'started' | 'buffered' | 'skipped';
  readonly runId: string | null;
  readonly fireAt: Date;
}

export interface ScheduleTransport {
  create(scheduleId: string | undefined, fields: ScheduleFields): Promise<ScheduleRecord>;
  get(scheduleId: string): Promise<ScheduleRecord>;
  list(filter: ScheduleFilter, pageToken: string | undefined): Promise<Page<ScheduleRecord>>;
  update(scheduleId: string, fields: ScheduleFields, revision: number | undefined): Promise<ScheduleRecord>;
  delete(scheduleId: string): Promise<void>;
  trigger(scheduleId: string, overlap: OverlapPolicy | undefined): Promise<Triggered>;
  backfill(
    scheduleId: string,
    range: { readonly from: Date; readonly to: Date; readonly overlap: OverlapPolicy | undefined },
  ): Promise<number>;
  next(scheduleId: string, count: number, after: Date | undefined): Promise<readonly Date[]>;
  preview(spec: GivenSpec, count: number): Promise<readonly Date[]>;
  history(scheduleId: string, pageToken: string | undefined): Promise<Page<FireRecord>>;
}
