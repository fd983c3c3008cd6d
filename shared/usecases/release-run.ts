import type { RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { extendHistory } from '../store/extend-history.ts';
import { countSteps, outlives } from '../store/history.ts';
import { readRun } from '../store/run-head.ts';
import { reclaimHead } from '../store/runs.ts';
import { holds, leaseLost, putDown, type RunLease } from './lease.ts';

/** The owner gives the run up unfinished, for another worker to go on with: a deadline is near, or it lacks the code. */
export async function releaseRun(engine: Engine, run: RunningRun, delayMs = 0): Promise<void> {
  const at = engine.clock.now() + delayMs;
  if (outlives(run, at)) await extendHistory(engine, run, at);
  const steps = await countSteps(engine, run);
  const how = { transition: 'release', at, stalls: run.stalls, steps } as const;
  await putDown(engine, run, at, (held, timerAt) => reclaimHead(engine, held, { ...how, timerAt }));
}

/** For a worker that has the lease alone. Asked again after a lost answer it is answered the same. */
export async function releaseLeasedRun(engine: Engine, lease: RunLease, delayMs = 0): Promise<void> {
  const run = await readRun(engine, lease);
  if (run?.status === 'PENDING' && run.incarnation === lease.incarnation && run.epoch === lease.epoch + 1) return;
  if (!holds(run, lease)) throw leaseLost(lease, run);
  await releaseRun(engine, run, delayMs);
}
