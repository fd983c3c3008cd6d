import { isDeepStrictEqual } from 'node:util';
import { KagziError } from '../model/errors.ts';
import type { RunningRun } from '../model/run.ts';
import { type Place, toldBy } from '../model/trace.ts';
import type { Engine } from '../store/engine.ts';
import { findStep } from '../store/find-step.ts';
import { unchangedOrPacked, writeStep } from '../store/steps.ts';
import { leaseLost, leaseOf, requireLease, scopeOf } from './lease.ts';

export interface ObserveStep extends Place {
  readonly stepId: string;
  readonly order: number;
}

/**
 * Records that the workflow was told of an outcome which is recorded without its owner's word: a sleep that ended
 * while something else was under way, or a result that a former owner had written. What others said stays beside it,
 * because a later owner may already have gone by it.
 */
export async function observeStep(
  engine: Engine,
  run: RunningRun,
  { stepId, order, ...place }: ObserveStep,
): Promise<void> {
  for (;;) {
    const step = await findStep(engine, run, stepId);
    if (step === null) {
      await requireLease(engine, leaseOf(run));
      throw new KagziError('STEP_NOT_FOUND', `There is no step "${stepId}".`, { step_id: stepId });
    }
    if (Math.max(step.epoch, ...step.traces.map(({ epoch }) => epoch)) > run.epoch) throw leaseLost(leaseOf(run), null);
    const traces = toldBy(step.traces, run.epoch, order, place);
    if (isDeepStrictEqual(traces, step.traces)) return;
    const observed = { ...step, traces, writeId: engine.ids.writeId() };
    const write = await writeStep(engine, scopeOf(leaseOf(run)), observed, unchangedOrPacked(step));
    if (write.ok) return;
  }
}
