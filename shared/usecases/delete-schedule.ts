import type { Schedule, ScheduleId } from '../model/schedule.ts';
import type { Engine } from '../store/engine.ts';
import { clearInputs } from '../store/schedule-input.ts';
import { disarmSchedule } from '../store/schedule-timer.ts';
import { readSchedule, removeSchedule } from '../store/schedules.ts';
import { requireSchedule } from './get-schedule.ts';
import { makeFires } from './make-fires.ts';

/** The runs that it fired stay, also those that are under way now. */
export async function deleteSchedule(engine: Engine, id: ScheduleId): Promise<void> {
  let schedule: Schedule | null = await requireSchedule(engine, id);
  const { generation } = schedule;
  // One that somebody makes under its id meanwhile is none of ours.
  while (schedule?.generation === generation) {
    if (schedule.firing !== null) await makeFires(engine, schedule);
    else if (await removeSchedule(engine, schedule)) {
      await disarmSchedule(engine, id);
      return clearInputs(engine, schedule);
    }
    schedule = await readSchedule(engine, id);
  }
}
