import { runIdFor } from '../shared/model/ids.ts';
import { externalIdOf, newScheduleConfig, type Schedule } from '../shared/model/schedule.ts';
import { cancelRun } from '../shared/usecases/cancel-run.ts';
import { createSchedule } from '../shared/usecases/create-schedule.ts';
import { requireSchedule } from '../shared/usecases/get-schedule.ts';
import { type Figures, toFigures } from './figures.ts';
import type { MeasuredEngine } from './measured-engine.ts';

const ID = { namespace: 'shop', scheduleId: 'hourly' };
/** Before and after a fire. */
const AROUND_MS = 5_000;

/** One fire of an hourly schedule, the start of its run included; the second, so that nothing is there for the first time. */
export async function scheduleFire({ engine, measure, passes }: MeasuredEngine): Promise<Figures> {
  const config = newScheduleConfig({ workflowType: 'order', spec: { cron: ['@hourly'] } });
  const { schedule } = await createSchedule(engine, { ...ID, config, enabled: true });
  const until = ({ nextFireAt }: Schedule): number => (nextFireAt ?? 0) - engine.clock.now();
  await passes(until(schedule) + AROUND_MS);
  // Its message would be sent again in the hour.
  const external = externalIdOf(ID, { kind: 'cron', at: schedule.nextFireAt ?? 0 });
  await cancelRun(engine, { ...ID, runId: runIdFor(ID.namespace, external) }, null);
  await passes(until(await requireSchedule(engine, ID)) - AROUND_MS);
  const { usage } = await measure(() => passes(2 * AROUND_MS));
  return toFigures(usage);
}
