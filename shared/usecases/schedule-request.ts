import { KagziError } from '../model/errors.ts';
import { nameProblem } from '../model/names.ts';
import { MAX_CATCHUP, type ScheduleConfig } from '../model/schedule.ts';
import { specProblem } from '../model/schedule-spec.ts';
import type { Engine } from '../store/engine.ts';
import { requireTaskQueue } from './start-run.ts';

/** Whoever makes or changes it, over HTTP or in this process. */
export async function requireSchedulable(engine: Engine, config: ScheduleConfig): Promise<void> {
  const isCount = Number.isInteger(config.maxCatchup) && config.maxCatchup >= 0 && config.maxCatchup <= MAX_CATCHUP;
  const problem =
    nameProblem('workflowType', config.workflowType) ??
    nameProblem('taskQueue', config.taskQueue) ??
    nameProblem('version', config.version) ??
    (isCount ? null : `max_catchup is no number from 0 to ${MAX_CATCHUP}`) ??
    specProblem(config.spec, engine.clock.now());
  if (problem !== null) throw new KagziError('INVALID_ARGUMENT', `This is no schedule: ${problem}.`);
  await requireTaskQueue(engine, config.taskQueue);
}
