import { type Fire, fireText } from './fire.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { jitteredTime, type ScheduleSpec } from './schedule-spec.ts';

export const SCHEDULE_STATUSES = ['SCHEDULED', 'PAUSED'] as const;
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

/** What happens to a fire while a run of the schedule is open. */
export const OVERLAP_POLICIES = ['skip', 'buffer_one', 'buffer_all', 'allow_all', 'cancel_other'] as const;
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

export const DEFAULT_MAX_CATCHUP = 100;
export const MAX_CATCHUP = 10_000;
export const DEFAULT_CATCHUP_WINDOW_MS = 365 * 86_400_000;
export const DEFAULT_OVERLAP: OverlapPolicy = 'allow_all';
/** More fires than this do not wait for the runs before them. */
export const MAX_BUFFERED = 100;
export const MAX_BACKFILLS = 10;

export interface ScheduleId {
  readonly namespace: string;
  readonly scheduleId: string;
}

/** What people decide about a schedule. */
export interface ScheduleConfig {
  readonly spec: ScheduleSpec;
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string;
  readonly retryPolicy: RetryPolicy | null;
  readonly maxCatchup: number;
  readonly catchupWindowMs: number;
  readonly overlap: OverlapPolicy;
  readonly note: string | null;
}

type Given<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** What is undefined was not given. */
export type GivenConfig = Given<Omit<ScheduleConfig, 'spec'>> & { readonly spec?: Given<ScheduleSpec> | undefined };

/** With defaults for what was not given. */
export function newScheduleConfig({ spec = {}, ...given }: GivenConfig): ScheduleConfig {
  return {
    spec: {
      cron: spec.cron ?? [],
      intervals: spec.intervals ?? [],
      timeZone: spec.timeZone ?? 'UTC',
      startAt: spec.startAt ?? null,
      endAt: spec.endAt ?? null,
      jitterMs: spec.jitterMs ?? 0,
    },
    workflowType: given.workflowType ?? '',
    version: given.version ?? '1',
    taskQueue: given.taskQueue ?? 'default',
    retryPolicy: given.retryPolicy ?? null,
    maxCatchup: given.maxCatchup ?? DEFAULT_MAX_CATCHUP,
    catchupWindowMs: given.catchupWindowMs ?? DEFAULT_CATCHUP_WINDOW_MS,
    overlap: given.overlap ?? DEFAULT_OVERLAP,
    note: given.note ?? null,
  };
}

/** Where the input of its runs lies: in the schedule itself, or in an item beside it. */
export type ScheduleInput =
  | { readonly at: 'inline'; readonly text: string }
  | { readonly at: 'item'; readonly name: string };

export type SkipReason = 'catchup' | 'overlap';
export interface Skip {
  readonly reason: SkipReason;
  readonly count: number;
  /** There were more than were counted. */
  readonly capped: boolean;
  readonly from: number;
  readonly to: number;
}

/** Fires that are decided and not yet all made. Whoever finds them goes on with them. */
export interface Firing {
  readonly fires: readonly Fire[];
  /** A run that is cancelled before. */
  readonly cancels: string | null;
  /** Their ends must be told to the schedule: others wait for them. */
  readonly tells: boolean;
  readonly since: number;
}

export interface Backfill {
  /** All up to here are done. */
  readonly cursor: number;
  readonly to: number;
  readonly overlap: OverlapPolicy;
  /** Whose times it goes through, if the schedule has others since it was asked for. */
  readonly spec?: ScheduleSpec;
}

export interface Schedule extends ScheduleId, ScheduleConfig {
  /** Minted by create: a schedule under a reused id shares nothing with the one before. */
  readonly generation: string;
  /** Counts changes that people make. */
  readonly revision: number;
  /** Counts all writes: the fence of the next one. */
  readonly writes: number;
  readonly requestId: string | null;
  readonly status: ScheduleStatus;
  readonly pauseReason: string | null;
  readonly input: ScheduleInput | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** What to do about every fire up to here has been decided. */
  readonly cursor: number;
  readonly nextFireAt: number | null;
  readonly lastFiredAt: number | null;
  /** The last run it started under a policy that does not allow all. It may have ended. */
  readonly running: { readonly runId: string; readonly fireAt: number } | null;
  readonly buffer: readonly Fire[];
  readonly firing: Firing | null;
  readonly backfills: readonly Backfill[];
  readonly fired: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
  readonly lastSkip: (Skip & { readonly decidedAt: number }) | null;
  readonly failed: number;
  readonly lastError: { readonly fireAt: number; readonly message: string } | null;
  readonly writeId: string;
  readonly dueAt: number | null;
}

/** Why its run was started, or was not. */
export const externalIdOf = ({ scheduleId }: ScheduleId, fire: Fire): string => `${scheduleId}:${fireText(fire)}`;

/** A fire that nobody has made by then is the watchdog's. */
const FIRE_GRACE_MS = 2_000;
/** How often it is looked at whether a run that others wait for has ended without a word. */
const LOOK_MS = 30_000;

type Waiting = Pick<Schedule, 'namespace' | 'scheduleId' | 'spec' | 'status' | 'nextFireAt' | 'buffer' | 'backfills'>;

/** When the next fire comes; null while none does by itself. */
export const comesAt = (schedule: Omit<Waiting, 'buffer' | 'backfills'>): number | null =>
  schedule.status === 'PAUSED' || schedule.nextFireAt === null
    ? null
    : jitteredTime(schedule.spec, `${schedule.namespace}#${schedule.scheduleId}`, schedule.nextFireAt);

/** A pause holds back what comes by itself, not what people have asked for. */
export const mayStart = (fire: Fire, status: ScheduleStatus): boolean => status === 'SCHEDULED' || fire.kind !== 'cron';

/** When somebody must look at a schedule that has no fires under way. */
export function scheduleDueAt(schedule: Waiting, now: number): number | null {
  const { status, buffer, backfills } = schedule;
  const comes = comesAt(schedule);
  const times = [
    ...(comes === null ? [] : [comes + FIRE_GRACE_MS]),
    ...(buffer.some((fire) => mayStart(fire, status)) ? [now + LOOK_MS] : []),
    ...(backfills.length > 0 ? [buffer.length > 0 ? now + LOOK_MS : now] : []),
  ];
  return times.length === 0 ? null : Math.min(...times);
}
