import { KagziError } from '../model/errors.ts';
import { isEnded, type Run, type RunId } from '../model/run.ts';
import { dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { CANCEL_ARRIVAL, putArrival } from '../store/inbox.ts';
import { isPutDown, notifyHead } from '../store/runs.ts';
import { cancelRun } from './cancel-run.ts';
import { requireRun } from './get-run.ts';

/**
 * Tells the workflow that it is being cancelled, so that it may clean up until the grace ends; then it is CANCELLED,
 * whatever it does. A run that nobody has begun has nothing to clean up and is cancelled at once.
 */
export async function requestCancel(
  engine: Engine,
  id: RunId,
  request: { readonly reason: string | null; readonly graceMs: number },
): Promise<Run> {
  const until = engine.clock.now() + request.graceMs;
  for (;;) {
    const run = await requireRun(engine, id);
    if (isEnded(run)) {
      throw new KagziError('RUN_FINISHED', `The run ${id.runId} has ended already: it is ${run.status}.`, {
        status: run.status,
      });
    }
    if (run.cancelAt !== null) return run;
    if (run.epoch === 0) return cancelRun(engine, id, request.reason);
    await putArrival(engine, run, CANCEL_ARRIVAL, { what: 'cancel', reason: request.reason, until });
    const write = await notifyHead(engine, run, engine.clock.now(), until);
    if (!write.ok) continue;
    if (isPutDown(run)) await dispatch(engine, run, engine.clock.now());
    return write.run;
  }
}
