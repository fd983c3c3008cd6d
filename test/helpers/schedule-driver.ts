import type { Run } from '../../shared/model/run.ts';
import { newScheduleConfig, type Schedule, type ScheduleConfig } from '../../shared/model/schedule.ts';
import type { ScheduleSpec } from '../../shared/model/schedule-spec.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { createSchedule } from '../../shared/usecases/create-schedule.ts';
import { requireSchedule } from '../../shared/usecases/get-schedule.ts';
import { listRuns } from '../../shared/usecases/list-runs.ts';

export const HOUR = 3_600_000;
export const ID = { namespace: 'shop', scheduleId: 'report' };

export const config = (
  given: Partial<Omit<ScheduleConfig, 'spec'>> = {},
  spec: Partial<ScheduleSpec> = {},
): ScheduleConfig => newScheduleConfig({ workflowType: 'report', ...given, spec: { cron: ['@hourly'], ...spec } });

export async function schedule(
  engine: Engine,
  given: Partial<Omit<ScheduleConfig, 'spec'>> = {},
  spec: Partial<ScheduleSpec> = {},
): Promise<Schedule> {
  const made = await createSchedule(engine, { ...ID, config: config(given, spec), enabled: true });
  return made.schedule;
}

export const current = (engine: Engine): Promise<Schedule> => requireSchedule(engine, ID);

/** What the schedule has started, oldest fire first. */
export async function firedRuns(engine: Engine): Promise<readonly Run[]> {
  const runs: Run[] = [];
  let pageToken: string | undefined;
  do {
    const page = await listRuns(engine, {
      namespace: ID.namespace,
      scheduleId: ID.scheduleId,
      pageSize: 100,
      pageToken,
    });
    runs.push(...page.runs);
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
  return runs.sort((a, b) => (a.fireAt ?? 0) - (b.fireAt ?? 0));
}

export const fireTimesOf = async (engine: Engine): Promise<readonly string[]> =>
  (await firedRuns(engine)).map((run) => new Date(run.fireAt ?? 0).toISOString());
