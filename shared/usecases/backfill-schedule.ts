import { KagziError } from '../model/errors.ts';
import { between } from '../model/missed-fires.ts';
import { MAX_BACKFILLS, type OverlapPolicy, type Schedule, type ScheduleId } from '../model/schedule.ts';
import { fireTimes } from '../model/schedule-spec.ts';
import type { Engine } from '../store/engine.ts';
import { nudgeSchedule } from '../store/schedule-timer.ts';
import { writeSchedule } from '../store/schedules.ts';
import { requireSchedule, scheduleNotFound } from './get-schedule.ts';
import { makeFires } from './make-fires.ts';

export interface BackfillSchedule {
  /** Inclusive, both. */
  readonly from: number;
  readonly to: number;
  /** If it is not given, all are made: side by side where the schedule does so, else one after the other. */
  readonly overlap?: OverlapPolicy | undefined;
}

const MAX_FIRES = 10_000;

/** Fires for every time in a range of the past, as it is now. Times that have a run already keep that one. */
export async function backfillSchedule(
  engine: Engine,
  id: ScheduleId,
  request: BackfillSchedule,
): Promise<{ readonly schedule: Schedule; readonly fires: number }> {
  let schedule: Schedule | null = await requireSchedule(engine, id);
  while (schedule !== null) {
    if (schedule.firing !== null) {
      schedule = await makeFires(engine, schedule);
      continue;
    }
    const now = engine.clock.now();
    // No stored time lies before 1970.
    const cursor = Math.max(0, request.from) - 1;
    const fires = between(fireTimes(schedule.spec), cursor, request.to, MAX_FIRES + 1).length;
    const problem = problemOf(schedule, request, fires, now);
    if (problem !== null) throw new KagziError('INVALID_ARGUMENT', `This cannot be backfilled: ${problem}.`);
    if (fires === 0) return { schedule, fires };
    const backfill = { cursor, to: request.to, overlap: request.overlap ?? usualOverlap(schedule) };
    const write = await writeSchedule(engine, schedule, {
      state: { backfills: [...schedule.backfills, backfill] },
      due: now,
    });
    if (write.ok) {
      await nudgeSchedule(engine, write.schedule);
      return { schedule: write.schedule, fires };
    }
    schedule = write.current;
  }
  throw scheduleNotFound(id);
}

/** A policy that leaves fires out is about those that come by themselves: who asks for these wants them. */
const usualOverlap = ({ overlap }: Schedule): OverlapPolicy => (overlap === 'allow_all' ? 'allow_all' : 'buffer_all');

function problemOf(schedule: Schedule, request: BackfillSchedule, fires: number, now: number): string | null {
  if (request.to < request.from) return 'the range ends before it begins';
  if (request.to > now) return 'the range ends in the future';
  if (fires > MAX_FIRES) return `the range holds more than ${MAX_FIRES} fires; ask for a part of it`;
  return schedule.backfills.length < MAX_BACKFILLS ? null : `${MAX_BACKFILLS} others are under way`;
}
