import { type Duration, durationMs } from '../../shared/model/duration.ts';
import { MAX_CATCHUP, OVERLAP_POLICIES, type OverlapPolicy, SCHEDULE_STATUSES } from '../../shared/model/schedule.ts';
import {
  type Checks,
  checkNames,
  checkOptions,
  InvalidArgumentError,
  isDuration,
  isFlag,
  isList,
  isName,
  isOneOf,
  isText,
  isTime,
  isWholeNumber,
} from '../check-options.ts';
import type { AnyWorkflow, InputOf } from '../context.ts';
import { requireWorkflow } from '../define-workflow.ts';
import { isRetry, type Retry, retryPolicyOf } from '../retry.ts';
import { decodeValue, encodeValue } from '../values.ts';
import { requireInput } from './require-input.ts';
import type {
  FireRecord,
  ScheduleFields,
  ScheduleFilter,
  ScheduleRecord,
  ScheduleTransport,
  Triggered,
} from './schedule-transport.ts';

export interface ScheduleTimes {
  /** Five fields, six with seconds first, or a nickname such as `@daily`. */
  readonly cron?: string | readonly string[];
  /** Counted from 1970 on, in whole seconds. */
  readonly intervals?: readonly { readonly every: Duration; readonly offset?: Duration }[];
  /** Of the cron expressions: an IANA name, UTC if not given. */
  readonly timeZone?: string;
  readonly startAt?: Date;
  readonly endAt?: Date;
  readonly jitter?: Duration;
}

export interface ScheduleSettings extends ScheduleTimes {
  readonly taskQueue?: string;
  readonly version?: string;
  readonly retry?: Retry;
  /** After an outage the newest so many of the missed fires are made; 100 if not given. */
  readonly maxCatchup?: number;
  readonly catchupWindow?: Duration;
  /** What happens to a fire while a run is still open; `allow_all` if not given. */
  readonly overlap?: OverlapPolicy;
  readonly note?: string;
  readonly enabled?: boolean;
  readonly pauseReason?: string;
}

/** The input may be left out where the workflow takes none. */
export type ScheduleOptions<W> = ScheduleSettings & { readonly id?: string } & (undefined extends InputOf<W>
    ? { readonly input?: InputOf<W> }
    : { readonly input: InputOf<W> });

/** What is not given stays as it is; null takes it away. */
export type ScheduleChanges = Omit<ScheduleSettings, 'startAt' | 'endAt' | 'note'> & {
  readonly startAt?: Date | null;
  readonly endAt?: Date | null;
  readonly note?: string | null;
  readonly input?: unknown;
  /** Refused if the schedule is at another revision by now. */
  readonly revision?: number;
};

export interface ClientSchedule extends Omit<ScheduleRecord, 'input'> {
  readonly input?: unknown;
}

const isCron = (value: unknown): void => (Array.isArray(value) ? isList(value) : isText(value));
const isIntervals = (value: unknown): void => {
  isList(value);
  for (const one of value as readonly unknown[]) checkNames(one, { every: isDuration, offset: isDuration });
};
const orNull =
  (check: (value: unknown) => void) =>
  (value: unknown): void =>
    void (value === null || check(value));
const anything = (): void => undefined;

const TIMES: Checks<ScheduleTimes> = {
  cron: isCron,
  intervals: isIntervals,
  timeZone: isText,
  startAt: isTime,
  endAt: isTime,
  jitter: isDuration,
};
const SETTINGS: Checks<ScheduleSettings> = {
  ...TIMES,
  taskQueue: isName('taskQueue'),
  version: isName('version'),
  retry: isRetry,
  maxCatchup: isWholeNumber(0, MAX_CATCHUP),
  catchupWindow: isDuration,
  overlap: isOneOf(OVERLAP_POLICIES),
  note: isText,
  enabled: isFlag,
  pauseReason: isText,
};
const CREATE = { ...SETTINGS, id: isName('scheduleId'), input: anything };
const CHANGE: Checks<ScheduleChanges> = {
  ...SETTINGS,
  startAt: orNull(isTime),
  endAt: orNull(isTime),
  note: orNull(isText),
  input: anything,
  revision: isWholeNumber(0, Number.MAX_SAFE_INTEGER),
};
const FILTER: Checks<ScheduleFilter> = {
  taskQueue: isName('taskQueue'),
  workflowType: isName('workflowType'),
  status: isOneOf(SCHEDULE_STATUSES),
};
const PAUSE = { reason: isText };
const TRIGGER = { overlap: isOneOf(OVERLAP_POLICIES) };
const BACKFILL = { from: isTime, to: isTime, overlap: isOneOf(OVERLAP_POLICIES) };
const PREVIEW = { count: isWholeNumber(1, 100) };
const NEXT = { ...PREVIEW, after: isTime };

/** Made or found; nothing is asked for until a method is called. */
export class ScheduleHandle {
  constructor(
    private readonly transport: ScheduleTransport,
    readonly scheduleId: string,
  ) {}

  async get(): Promise<ClientSchedule> {
    return show(await this.transport.get(this.scheduleId));
  }

  async update(changes: ScheduleChanges): Promise<ClientSchedule> {
    checkOptions('update of a schedule', changes, CHANGE);
    const { input, revision } = changes;
    const text = input === undefined || input === null ? input : (encodeValue(input, 'input') ?? null);
    return show(await this.transport.update(this.scheduleId, fieldsOf(changes, text), revision));
  }

  /** Nothing fires by itself once this has answered. */
  async pause(options: { readonly reason?: string } = {}): Promise<ClientSchedule> {
    checkOptions('pause', options, PAUSE);
    const fields = { ...fieldsOf({ enabled: false }, undefined), pauseReason: options.reason ?? null };
    return show(await this.transport.update(this.scheduleId, fields, undefined));
  }

  /** What was missed while it was paused is not caught up. */
  async resume(): Promise<ClientSchedule> {
    return show(await this.transport.update(this.scheduleId, fieldsOf({ enabled: true }, undefined), undefined));
  }

  /** Starts a run now, also of a paused schedule. */
  async trigger(options: { readonly overlap?: OverlapPolicy } = {}): Promise<Triggered> {
    checkOptions('trigger', options, TRIGGER);
    return this.transport.trigger(this.scheduleId, options.overlap);
  }

  /**
   * Starts the runs of a range of the past, those that there are already excepted; answers how many times it holds.
   * Unless told otherwise side by side where that is the schedule's policy, and one after the other where not.
   */
  async backfill(range: { readonly from: Date; readonly to: Date; readonly overlap?: OverlapPolicy }): Promise<number> {
    checkOptions('backfill', range, BACKFILL);
    // For callers without types.
    const missing = (['from', 'to'] as const).find((name) => (range[name] as Date | undefined) === undefined);
    if (missing !== undefined) throw new InvalidArgumentError(`backfill: ${missing} is missing: give a Date`);
    return this.transport.backfill(this.scheduleId, { ...range, overlap: range.overlap });
  }

  /** The times at which it fires next if it is not paused. */
  async next(options: { readonly count?: number; readonly after?: Date } = {}): Promise<readonly Date[]> {
    checkOptions('next', options, NEXT);
    return this.transport.next(this.scheduleId, options.count ?? 10, options.after);
  }

  /** What became of its fires, newest first. */
  async *history(): AsyncGenerator<FireRecord> {
    let token: string | undefined;
    do {
      const page = await this.transport.history(this.scheduleId, token);
      yield* page.items;
      token = page.nextPageToken ?? undefined;
    } while (token !== undefined);
  }

  /** The runs that it started stay. */
  delete(): Promise<void> {
    return this.transport.delete(this.scheduleId);
  }
}

export class Schedules {
  constructor(private readonly transport: ScheduleTransport) {}

  async create<W extends AnyWorkflow>(workflow: W, options: ScheduleOptions<W>): Promise<ScheduleHandle> {
    requireWorkflow('schedules.create', workflow);
    checkOptions(`schedule of "${workflow.type}"`, options, CREATE);
    await requireInput(workflow, options.input);
    const { config, ...rest } = fieldsOf(options, encodeValue(options.input, 'input'));
    const retryPolicy = retryPolicyOf(options.retry ?? workflow.retry);
    const { scheduleId } = await this.transport.create(options.id, {
      ...rest,
      config: { ...config, workflowType: workflow.type, version: options.version ?? workflow.version, retryPolicy },
    });
    return new ScheduleHandle(this.transport, scheduleId);
  }

  /** When a schedule of these times would fire; nothing is made. */
  async preview(times: ScheduleTimes, options: { readonly count?: number } = {}): Promise<readonly Date[]> {
    checkOptions('preview', times, TIMES);
    checkOptions('preview', options, PREVIEW);
    return this.transport.preview(fieldsOf(times, undefined).config.spec ?? {}, options.count ?? 10);
  }

  /** Newest first. */
  async *list(filter: ScheduleFilter = {}): AsyncGenerator<ClientSchedule> {
    checkOptions('schedules.list', filter, FILTER);
    let token: string | undefined;
    do {
      const page = await this.transport.list(filter, token);
      for (const schedule of page.items) yield show(schedule);
      token = page.nextPageToken ?? undefined;
    } while (token !== undefined);
  }
}

const show = ({ input, ...schedule }: ScheduleRecord): ClientSchedule => ({
  ...schedule,
  ...(input === undefined ? {} : { input: decodeValue(input) }),
});

const length = (given: Duration | undefined): number | undefined =>
  given === undefined ? undefined : durationMs(given);
const timeOf = (given: Date | null | undefined): number | null | undefined =>
  given === null || given === undefined ? given : given.getTime();

function fieldsOf(given: ScheduleChanges, input: string | null | undefined): ScheduleFields {
  const { cron } = given;
  return {
    config: {
      spec: {
        cron: typeof cron === 'string' ? [cron] : cron,
        intervals: given.intervals?.map(({ every, offset }) => ({
          everyMs: durationMs(every),
          offsetMs: durationMs(offset ?? 0),
        })),
        timeZone: given.timeZone,
        startAt: timeOf(given.startAt),
        endAt: timeOf(given.endAt),
        jitterMs: length(given.jitter),
      },
      taskQueue: given.taskQueue,
      version: given.version,
      retryPolicy: retryPolicyOf(given.retry),
      maxCatchup: given.maxCatchup,
      catchupWindowMs: length(given.catchupWindow),
      overlap: given.overlap,
      note: given.note,
    },
    input,
    enabled: given.enabled,
    pauseReason: given.pauseReason,
  };
}
