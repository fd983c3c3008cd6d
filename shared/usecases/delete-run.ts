import { KagziError } from '../model/errors.ts';
import { isEnded, type RunId } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { expireHead, owesWord } from '../store/runs.ts';
import { settleEnd } from './end-run.ts';
import { requireRun, runNotFound } from './get-run.ts';
import { purgeRun } from './purge-run.ts';

/** Gone at once for everybody, its external id free again; what a crash leaves of it expires by itself. */
export async function deleteRun(engine: Engine, id: RunId): Promise<void> {
  const run = await requireRun(engine, id);
  if (!isEnded(run)) {
    const message = `The run ${id.runId} is ${run.status}: only a finished run can be deleted. Cancel it first.`;
    throw new KagziError('RUN_NOT_FINISHED', message, { status: run.status });
  }
  // Somebody may still wait to hear of its end.
  if (owesWord(run)) await settleEnd(engine, run);
  const write = await expireHead(engine, run, engine.clock.now());
  if (!write.ok) throw runNotFound(id.runId);
  await purgeRun(engine, run);
}
