import type { RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { renewHead } from '../store/runs.ts';
import { leaseLost, leaseOf } from './lease.ts';

/** A direct worker keeps its run for another lease; the proof counts from when it was sent. */
export async function renewLease(engine: Engine, run: RunningRun, steps: number): Promise<RunningRun> {
  const write = await renewHead(engine, run, engine.clock.now(), steps);
  if (!write.ok) throw leaseLost(leaseOf(run), write.current);
  return write.run as RunningRun;
}
