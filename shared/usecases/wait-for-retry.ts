import type { Run, RunningRun } from '../model/run.ts';
import { dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { extendHistory } from '../store/extend-history.ts';
import { countSteps, outlives } from '../store/history.ts';
import { retryHead } from '../store/runs.ts';
import { leaseLost, type RunLease } from './lease.ts';

/** Puts the run back as PENDING until the time of the next attempt; the worker holds nothing meanwhile. */
export async function waitForRetry(
  engine: Engine,
  run: RunningRun,
  lease: RunLease,
  at: number,
  attempts = run.attempts,
): Promise<Run> {
  if (outlives(run, at)) await extendHistory(engine, run, at);
  const steps = await countSteps(engine, run);
  const write = await retryHead(engine, run, { at, steps, attempts });
  if (!write.ok) throw leaseLost(lease, write.current);
  await dispatch(engine, write.run, at);
  return write.run;
}
