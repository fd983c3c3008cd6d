import type { RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { lateSteps } from '../store/history.ts';
import { FIRST, writeStep } from '../store/steps.ts';
import { leaseOf, scopeOf } from './lease.ts';

/** Brings what was recorded in a generation while it was packed into the present one, before the head forgets to look there. */
export async function carryLateSteps(engine: Engine, run: RunningRun): Promise<void> {
  if (run.history.recheck === null) return;
  const lastsFrom = Math.max(engine.clock.now(), run.history.safeUntil);
  for (const step of await lateSteps(engine, run)) {
    await writeStep(engine, scopeOf(leaseOf(run)), step, FIRST, lastsFrom);
  }
}
