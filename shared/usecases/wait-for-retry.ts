import type { Run, RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { extendHistory } from '../store/extend-history.ts';
import { countSteps, outlives } from '../store/history.ts';
import { retryHead } from '../store/runs.ts';
import { putDown } from './lease.ts';

/** Puts the run back as PENDING until the time of the next attempt; the worker holds nothing meanwhile. */
export async function waitForRetry(engine: Engine, run: RunningRun, at: number, attempts = run.attempts): Promise<Run> {
  if (outlives(run, at)) await extendHistory(engine, run, at);
  const steps = await countSteps(engine, run);
  return putDown(engine, run, at, (held, timerAt) => retryHead(engine, held, { at, timerAt, steps, attempts }));
}
