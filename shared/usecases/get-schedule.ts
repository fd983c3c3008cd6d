import { KagziError } from '../model/errors.ts';
import type { Schedule, ScheduleId } from '../model/schedule.ts';
import type { Engine } from '../store/engine.ts';
import { MissingPayloadError, type PayloadText } from '../store/payloads.ts';
import { loadScheduleInput } from '../store/schedule-input.ts';
import { readSchedule } from '../store/schedules.ts';
import { showRunning } from './show-running.ts';

export const scheduleNotFound = ({ scheduleId }: ScheduleId): KagziError =>
  new KagziError('SCHEDULE_NOT_FOUND', `There is no schedule ${scheduleId}.`, { schedule_id: scheduleId });

export async function requireSchedule(engine: Engine, id: ScheduleId): Promise<Schedule> {
  const schedule = await readSchedule(engine, id);
  if (schedule === null) throw scheduleNotFound(id);
  return schedule;
}

/** With the input of its runs, for somebody who looks at it. */
export async function getSchedule(
  engine: Engine,
  id: ScheduleId,
): Promise<{ readonly schedule: Schedule; readonly input: PayloadText | undefined }> {
  for (;;) {
    const schedule = await requireSchedule(engine, id);
    try {
      const input = await loadScheduleInput(engine, schedule);
      const [shown = schedule] = await showRunning(engine, [schedule]);
      return { schedule: shown, input };
    } catch (error) {
      if (!(error instanceof MissingPayloadError)) throw error;
      // A change may just have cleared it away.
      const again = await requireSchedule(engine, id);
      if (again.writes === schedule.writes) return { schedule, input: undefined };
    }
  }
}
