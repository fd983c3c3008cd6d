import { KagziError } from '../model/errors.ts';
import { isEnded, type RunId } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { type RunDetails, requireRun, runDetails } from './get-run.ts';
import { type StepDetails, stepPage } from './list-steps.ts';
import { type RunCost, runCost } from './run-cost.ts';

export interface RunExport extends RunDetails {
  readonly cost: RunCost;
  readonly steps: readonly StepDetails[];
  /** A long history comes in several parts, each with the run and its own steps. */
  readonly nextPageToken: string | null;
}

const STEPS_PER_PART = 1_000;

/** A finished run with everything that is kept of it. */
export async function exportRun(engine: Engine, id: RunId, token: string | undefined): Promise<RunExport> {
  const run = await requireRun(engine, id);
  if (!isEnded(run)) {
    const message = `The run ${id.runId} is ${run.status}: only a finished run can be exported.`;
    throw new KagziError('RUN_NOT_FINISHED', message, { status: run.status });
  }
  const page = await stepPage(engine, run, STEPS_PER_PART, token);
  return { ...(await runDetails(engine, run)), cost: await runCost(engine, run), ...page };
}
