import { decodeFire, encodeFire, type Fire } from '../model/fire.ts';
import {
  type Backfill,
  type Firing,
  SCHEDULE_STATUSES,
  type Schedule,
  type ScheduleConfig,
  type ScheduleInput,
} from '../model/schedule.ts';
import type { Item, Value } from '../ports/table.ts';
import { AttributeReader, UnreadableItemError } from './attributes.ts';
import { FORMAT, parseSchedulePk, scheduleKey } from './keys.ts';

type Dynamic = Omit<Schedule, keyof ScheduleConfig | 'namespace' | 'scheduleId'>;

/** What an item holds of the parts of a schedule that were decided or happened; absent if there is nothing to say. */
export function encodeState(state: Partial<Dynamic>): Record<string, Value | undefined> {
  const { running, buffer, firing, backfills, lastSkip, lastError } = state;
  return {
    st: state.status,
    why: state.pauseReason ?? undefined,
    cur: state.cursor,
    nx: state.nextFireAt ?? undefined,
    lf: state.lastFiredAt ?? undefined,
    run: running ? [running.runId, running.fireAt] : undefined,
    buf: buffer && buffer.length > 0 ? buffer.map(encodeFire) : undefined,
    fir: firing ? encodeFiring(firing) : undefined,
    bf: backfills && backfills.length > 0 ? JSON.stringify(backfills) : undefined,
    nf: state.fired,
    nk: state.skipped?.catchup,
    no: state.skipped?.overlap,
    lsk: lastSkip ? JSON.stringify(lastSkip) : undefined,
    ne: state.failed,
    le: lastError ? JSON.stringify(lastError) : undefined,
  };
}

/** The attributes of `encodeState`, by the name of what they hold. */
export const STATE_ATTRIBUTES = {
  status: ['st'],
  pauseReason: ['why'],
  cursor: ['cur'],
  nextFireAt: ['nx'],
  lastFiredAt: ['lf'],
  running: ['run'],
  buffer: ['buf'],
  firing: ['fir'],
  backfills: ['bf'],
  fired: ['nf'],
  skipped: ['nk', 'no'],
  lastSkip: ['lsk'],
  failed: ['ne'],
  lastError: ['le'],
} as const satisfies Partial<Record<keyof Schedule, readonly string[]>>;
export type ScheduleState = Partial<Pick<Schedule, keyof typeof STATE_ATTRIBUTES>>;

export const encodeConfig = (config: ScheduleConfig): Value => {
  const { spec, workflowType, version, taskQueue, retryPolicy, maxCatchup, catchupWindowMs, overlap, note } = config;
  const kept: ScheduleConfig = {
    spec,
    workflowType,
    version,
    taskQueue,
    retryPolicy,
    maxCatchup,
    catchupWindowMs,
    overlap,
    note,
  };
  return JSON.stringify(kept);
};
export const encodeInput = (input: ScheduleInput): Value => (input.at === 'inline' ? input.text : { i: input.name });

const present = (attributes: Record<string, Value | undefined>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

export const encodeSchedule = (schedule: Schedule): Item => ({
  ...scheduleKey(schedule),
  v: FORMAT,
  gen: schedule.generation,
  rev: schedule.revision,
  wr: schedule.writes,
  ...(schedule.requestId === null ? {} : { rq: schedule.requestId }),
  cfg: encodeConfig(schedule),
  ...(schedule.input === null ? {} : { in: encodeInput(schedule.input) }),
  c0: schedule.createdAt,
  c1: schedule.updatedAt,
  w: schedule.writeId,
  ...present(encodeState(schedule)),
});

export function decodeSchedule(item: Item): Schedule {
  const read = new AttributeReader(`schedule ${item.pk}`, item);
  const id = parseSchedulePk(item.pk);
  const config = read.json<ScheduleConfig>('cfg');
  if (id === null || config === null) throw new UnreadableItemError(`${item.pk} is not a schedule`);
  const [runId, fireAt] = read.list('run') as readonly [string?, number?];
  const due = read.textOrNull('ds');
  // No spreading: it makes a dictionary of an object of this size.
  return {
    namespace: id.namespace,
    scheduleId: id.scheduleId,
    spec: config.spec,
    workflowType: config.workflowType,
    version: config.version,
    taskQueue: config.taskQueue,
    retryPolicy: config.retryPolicy,
    maxCatchup: config.maxCatchup,
    catchupWindowMs: config.catchupWindowMs,
    overlap: config.overlap,
    note: config.note,
    generation: read.text('gen'),
    revision: read.number('rev'),
    writes: read.number('wr'),
    requestId: read.textOrNull('rq'),
    status: read.oneOf('st', SCHEDULE_STATUSES),
    pauseReason: read.textOrNull('why'),
    input: decodeInput(read.value('in')),
    createdAt: read.number('c0'),
    updatedAt: read.number('c1'),
    cursor: read.number('cur'),
    nextFireAt: read.numberOrNull('nx'),
    lastFiredAt: read.numberOrNull('lf'),
    running: runId === undefined || fireAt === undefined ? null : { runId, fireAt },
    buffer: decodeFires(read.list('buf')),
    firing: decodeFiring(read.json<StoredFiring>('fir')),
    backfills: read.json<readonly Backfill[]>('bf') ?? [],
    fired: read.number('nf', 0),
    skipped: { catchup: read.number('nk', 0), overlap: read.number('no', 0) },
    lastSkip: read.json<Schedule['lastSkip']>('lsk'),
    failed: read.number('ne', 0),
    lastError: read.json<Schedule['lastError']>('le'),
    writeId: read.text('w'),
    dueAt: due === null ? null : Number(due),
  };
}

interface StoredFiring {
  readonly f: readonly string[];
  readonly x?: string;
  readonly t?: boolean;
  readonly s: number;
}

const encodeFiring = ({ fires, cancels, tells, since }: Firing): string =>
  JSON.stringify({
    f: fires.map(encodeFire),
    ...(cancels === null ? {} : { x: cancels }),
    ...(tells ? { t: true } : {}),
    s: since,
  } satisfies StoredFiring);

const decodeFiring = (stored: StoredFiring | null): Firing | null =>
  stored && { fires: decodeFires(stored.f), cancels: stored.x ?? null, tells: stored.t === true, since: stored.s };

function decodeFires(texts: readonly Value[]): readonly Fire[] {
  return texts.map((text) => {
    const fire = typeof text === 'string' ? decodeFire(text) : null;
    if (fire === null) throw new UnreadableItemError(`${JSON.stringify(text)} is no fire`);
    return fire;
  });
}

function decodeInput(value: Value | undefined): ScheduleInput | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return { at: 'inline', text: value };
  const { i: name } = value as { readonly i?: unknown };
  if (typeof name === 'string') return { at: 'item', name };
  throw new UnreadableItemError('the input of a schedule is neither text nor a reference');
}
