import { LIST_PRICES } from '../model/list-prices.ts';
import type { Run } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { Engine } from '../store/engine.ts';
import { readHistory } from '../store/history.ts';

/** What a run has used so far, as its items count it, and that at list prices. Polling and looking at it are not counted. */
export interface RunCost {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly queueCalls: number;
  readonly dollars: number;
}

/** Reads the run's history, because every step counts its own writes. */
export async function runCost(engine: Engine, run: Run): Promise<RunCost> {
  const { steps } = await readHistory(engine, run);
  return costOf(run, steps);
}

export function costOf(run: Run, steps: readonly Step[]): RunCost {
  const { queueCalls } = run.cost;
  const readUnits = steps.reduce((sum, step) => sum + step.readUnits, run.cost.readUnits);
  const writeUnits = steps.reduce((sum, step) => sum + step.writeUnits, run.cost.writeUnits);
  const dollars =
    writeUnits * LIST_PRICES.writeUnit + readUnits * LIST_PRICES.readUnit + queueCalls * LIST_PRICES.queueCall;
  return { writeUnits, readUnits, queueCalls, dollars: Number(dollars.toPrecision(6)) };
}
