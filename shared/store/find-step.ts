import type { Run } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { Engine } from './engine.ts';
import { findPacked } from './history.ts';
import { readStep } from './steps.ts';

/** As last recorded: a step packed before it was decided may have gone on as an item of its own. */
export const findStep = async (engine: Engine, run: Run, stepId: string): Promise<Step | null> =>
  (await readStep(engine, { ...run, generation: run.history.generation }, stepId)) ?? findPacked(engine, run, stepId);
