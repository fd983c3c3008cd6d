import { KagziError } from '../model/errors.ts';
import type { Run, RunId } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { cancelOpen } from './end-run.ts';
import { requireRun, runNotFound } from './get-run.ts';

/** Once this has answered, no result of the run's worker advances it. */
export async function cancelRun(engine: Engine, id: RunId, reason: string | null): Promise<Run> {
  const run = await requireRun(engine, id);
  const write = await cancelOpen(engine, run, reason);
  if (write.ok) return write.run;
  if (write.current === null || write.current.incarnation !== run.incarnation) throw runNotFound(id.runId);
  const { status } = write.current;
  throw new KagziError('RUN_FINISHED', `The run ${id.runId} has ended already: it is ${status}.`, { status });
}
