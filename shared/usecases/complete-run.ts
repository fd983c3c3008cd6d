import type { Run } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import type { PayloadText } from '../store/payloads.ts';
import { readRun } from '../store/run-head.ts';
import { endRun } from './end-run.ts';
import { holds, leaseLost, type RunLease } from './lease.ts';

/** Asked again after a lost answer it is answered the same: nobody else can have ended the run in this epoch. */
export async function completeRun(engine: Engine, lease: RunLease, output: PayloadText | undefined): Promise<Run> {
  const run = await readRun(engine, lease);
  if (run?.status === 'COMPLETED' && run.incarnation === lease.incarnation && run.epoch === lease.epoch) return run;
  if (!holds(run, lease)) throw leaseLost(lease, run);
  const write = await endRun(engine, run, { status: 'COMPLETED', output });
  if (!write.ok) throw leaseLost(lease, write.current);
  return write.run;
}
