import type { Schedule, ScheduleId } from '../model/schedule.ts';
import type { Engine } from '../store/engine.ts';
import { clearInputs } from '../store/schedule-input.ts';
import { disarmSchedule } from '../store/schedule-timer.ts';
import { removeSchedule } from '../store/schedules.ts';
import { requireSchedule } from './get-schedule.ts';
import { makeFires } from './make-fires.ts';

/** The runs that it fired stay, also those that are under way now. */
export async function deleteSchedule(engine: Engine, id: ScheduleId): Promise<void> {
  for (;;) {
    const schedule: Schedule = await requireSchedule(engine, id);
    if (schedule.firing !== null) await makeFires(engine, schedule);
    else if (await removeSchedule(engine, schedule)) {
      await disarmSchedule(engine, id);
      return clearInputs(engine, schedule, null);
    }
  }
}
