import { KagziError } from '../model/errors.ts';
import type { Run } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import { endRun } from './end-run.ts';
import { holds, leaseLost, type RunLease } from './lease.ts';

/** The workflow has cleaned up before its grace ended: the run is CANCELLED now. Asked again it is answered the same. */
export async function finishCancel(engine: Engine, lease: RunLease, reason: string | null): Promise<Run> {
  const run = await readRun(engine, lease);
  const next = run?.incarnation === lease.incarnation && run.epoch === lease.epoch + 1;
  if (next && run.status === 'CANCELLED') return run;
  if (!holds(run, lease)) throw leaseLost(lease, run);
  if (run.cancelAt === null) {
    throw new KagziError('CANCEL_NOT_REQUESTED', `Nobody has asked for the cancellation of run ${run.runId}.`);
  }
  const write = await endRun(engine, run, { status: 'CANCELLED', reason });
  if (!write.ok) throw leaseLost(lease, write.current);
  return write.run;
}
