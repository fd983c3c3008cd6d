import type { RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { extendData } from '../store/extend-history.ts';
import { outlives, packHistory, readHistory } from '../store/history.ts';
import { carryLateSteps } from './carry-late-steps.ts';
import { leaseLost, leaseOf } from './lease.ts';

/**
 * Before a wait that its history would not survive, the history is packed to last. A result of the same worker that
 * was acknowledged meanwhile is carried over; if we die before that, the head says where to look for it.
 */
export async function preserveHistory(engine: Engine, run: RunningRun, until: number): Promise<RunningRun> {
  if (!outlives(run, until)) return run;
  await extendData(engine, run, until);
  const packed = await packHistory(engine, run, await readHistory(engine, run), until, { beside: 'own-writes' });
  if (!packed.ok) throw leaseLost(leaseOf(run), packed.current);
  const next = packed.run as RunningRun;
  await carryLateSteps(engine, next);
  return next;
}
