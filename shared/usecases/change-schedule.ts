import { KagziError } from '../model/errors.ts';
import {
  type GivenConfig,
  type Schedule,
  type ScheduleConfig,
  type ScheduleId,
  scheduleDueAt,
} from '../model/schedule.ts';
import { fireTimes } from '../model/schedule-spec.ts';
import type { Engine } from '../store/engine.ts';
import type { PayloadText } from '../store/payloads.ts';
import { checkScheduleInput, dropInput, storeScheduleInput } from '../store/schedule-input.ts';
import { armSchedule, disarmSchedule, nudgeSchedule } from '../store/schedule-timer.ts';
import { writeSchedule } from '../store/schedules.ts';
import { fireSchedule } from './fire-schedule.ts';
import { requireSchedule, scheduleNotFound } from './get-schedule.ts';
import { makeFires } from './make-fires.ts';
import { requireSchedulable } from './schedule-request.ts';

export interface ScheduleUpdate {
  /** Undefined leaves a part as it is. */
  readonly config: GivenConfig;
  /** Null takes it away. */
  readonly input?: PayloadText | null | undefined;
  readonly enabled?: boolean | undefined;
  readonly pauseReason?: string | null | undefined;
  /** The revision that the caller has seen. */
  readonly revision?: number | undefined;
}

/** Fires that are under way are made first: what is answered counts for all that come after. */
export async function changeSchedule(engine: Engine, id: ScheduleId, update: ScheduleUpdate): Promise<Schedule> {
  checkScheduleInput(update.input ?? undefined);
  let schedule: Schedule | null = await requireSchedule(engine, id);
  while (schedule !== null) {
    requireRevision(schedule, update.revision);
    if (schedule.firing !== null) {
      schedule = await makeFires(engine, schedule);
      continue;
    }
    const config = mergeConfig(schedule, update.config);
    // To pause one must work also when it could not be made any more.
    if (!isSameConfig(schedule, config)) await requireSchedulable(engine, config);
    const movesFires = JSON.stringify(config.spec) !== JSON.stringify(schedule.spec);
    // What was due by the old times is not lost to the new ones, however much it is, or held back by its jitter.
    const settled: Schedule | null = movesFires
      ? await fireSchedule(engine, schedule, { left: Number.POSITIVE_INFINITY }, { holdsBack: false })
      : schedule;
    if (settled === null || settled.revision !== schedule.revision || settled.firing !== null) {
      schedule = settled;
      continue;
    }
    const changed: Schedule | { readonly lostTo: Schedule | null } = await write(engine, settled, {
      update,
      config,
      movesFires,
    });
    if (!('lostTo' in changed)) return changed;
    schedule = changed.lostTo;
  }
  throw scheduleNotFound(id);
}

function isSameConfig(schedule: Schedule, config: ScheduleConfig): boolean {
  const names = Object.keys(config) as (keyof ScheduleConfig)[];
  return names.every((name) => JSON.stringify(config[name]) === JSON.stringify(schedule[name]));
}

const isSameInput = (one: Schedule['input'] | undefined, other: Schedule['input'] | undefined): boolean =>
  one?.at === 'item' && other?.at === 'item' && one.name === other.name;

function requireRevision({ scheduleId, revision }: Schedule, seen: number | undefined): void {
  if (seen === undefined || seen === revision) return;
  const message = `The schedule ${scheduleId} has changed: it is at revision ${revision}, not ${seen}.`;
  throw new KagziError('SCHEDULE_CHANGED', message, { revision });
}

function mergeConfig(schedule: Schedule, { spec, ...rest }: ScheduleUpdate['config']): ScheduleConfig {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const times = Object.fromEntries(Object.entries(spec ?? {}).filter(([, value]) => value !== undefined));
  return { ...schedule, ...given, spec: { ...schedule.spec, ...times } };
}

async function write(
  engine: Engine,
  schedule: Schedule,
  { update, config, movesFires }: { update: ScheduleUpdate; config: ScheduleConfig; movesFires: boolean },
): Promise<Schedule | { readonly lostTo: Schedule | null }> {
  const now = engine.clock.now();
  const status = update.enabled === undefined ? schedule.status : update.enabled ? 'SCHEDULED' : 'PAUSED';
  const resumes = schedule.status === 'PAUSED' && status === 'SCHEDULED';
  // What was missed while it was paused, or by times that no longer hold, is not caught up.
  const cursor = resumes || movesFires ? Math.max(schedule.cursor, now) : schedule.cursor;
  const kept = update.pauseReason === undefined ? schedule.pauseReason : update.pauseReason;
  const state = {
    status,
    pauseReason: status === 'PAUSED' ? kept : null,
    cursor,
    nextFireAt: fireTimes(config.spec).next(cursor),
    // They are about the times that there were when they were asked for.
    ...(movesFires ? { backfills: schedule.backfills.map((one) => ({ spec: schedule.spec, ...one })) } : {}),
  };
  const input =
    update.input === undefined ? undefined : await storeScheduleInput(engine, schedule, update.input ?? undefined);
  const result = await writeSchedule(engine, schedule, {
    state,
    config,
    updatedAt: now,
    due: scheduleDueAt({ ...schedule, ...config, ...state }, now),
    ...(input === undefined ? {} : { input }),
  });
  if (!result.ok) {
    // Its answer may have got lost, and somebody else have written the schedule since.
    if (!isSameInput(result.current?.input, input)) await dropInput(engine, schedule, input);
    return { lostTo: result.current };
  }
  if (input !== undefined) await dropInput(engine, schedule, schedule.input);
  if (status === 'PAUSED') await disarmSchedule(engine, schedule);
  else if (state.nextFireAt !== schedule.nextFireAt || resumes) await armSchedule(engine, result.schedule);
  if (resumes && schedule.buffer.length > 0) await nudgeSchedule(engine, result.schedule);
  return result.schedule;
}
