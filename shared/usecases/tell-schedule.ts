import type { EndedRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { nudgeSchedule } from '../store/schedule-timer.ts';
import { readSchedule, writeSchedule } from '../store/schedules.ts';

/** The place that an ended run had is free; whoever waits for it is let in by the message, or by the due row. */
export async function tellSchedule(engine: Engine, run: EndedRun): Promise<void> {
  if (run.scheduleId === null) return;
  for (;;) {
    const schedule = await readSchedule(engine, { namespace: run.namespace, scheduleId: run.scheduleId });
    if (schedule?.running?.runId !== run.runId) return;
    const waits = schedule.buffer.length > 0 || schedule.backfills.length > 0;
    const due = waits ? engine.clock.now() : 'keep';
    const write = await writeSchedule(engine, schedule, { state: { running: null }, due });
    if (!write.ok) continue;
    if (waits) await nudgeSchedule(engine, write.schedule);
    return;
  }
}
