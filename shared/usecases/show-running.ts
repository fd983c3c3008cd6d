import { isEnded } from '../model/run.ts';
import type { Schedule } from '../model/schedule.ts';
import type { Engine } from '../store/engine.ts';
import { headKey } from '../store/keys.ts';
import { readHeads } from '../store/run-head.ts';

/** A run that nobody waits for ends without a word to its schedule: it is shown as running only while it is open. */
export async function showRunning(engine: Engine, schedules: readonly Schedule[]): Promise<readonly Schedule[]> {
  const keyOf = ({ namespace, running }: Schedule) =>
    running === null ? [] : [headKey({ namespace, runId: running.runId })];
  const heads = await readHeads(engine, schedules.flatMap(keyOf));
  return schedules.map((schedule) => {
    const [key] = keyOf(schedule);
    const run = key === undefined ? undefined : heads.get(key.pk);
    return schedule.running === null || (run !== undefined && !isEnded(run))
      ? schedule
      : { ...schedule, running: null };
  });
}
