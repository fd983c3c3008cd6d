import type { RunningRun } from '../model/run.ts';
import { isDecided, type Step } from '../model/step.ts';
import type { Engine } from '../store/engine.ts';
import { findStep } from '../store/find-step.ts';

/** A step that somebody has decided by now, though it may not be in the history that was read: a former owner may still write. */
export async function findDecidedStep(engine: Engine, run: RunningRun, stepId: string): Promise<Step | null> {
  const step = await findStep(engine, run, stepId);
  return step !== null && isDecided(step) ? step : null;
}
