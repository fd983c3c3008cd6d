import { KagziError } from '../model/errors.ts';
import type { RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { findStep } from '../store/find-step.ts';
import { unchanged, writeStep } from '../store/steps.ts';
import { leaseLost, leaseOf, requireLease, scopeOf } from './lease.ts';

/**
 * Records when the workflow saw an outcome that is recorded without saying so: a sleep that ended while something
 * else was under way, or a result that a former owner had written. The word of the latest owner counts.
 */
export async function observeStep(engine: Engine, run: RunningRun, stepId: string, order: number): Promise<void> {
  for (;;) {
    const step = await findStep(engine, run, stepId);
    if (step === null) {
      await requireLease(engine, leaseOf(run));
      throw new KagziError('STEP_NOT_FOUND', `There is no step "${stepId}".`, { step_id: stepId });
    }
    if ((step.order?.epoch ?? 0) > run.epoch) throw leaseLost(leaseOf(run), null);
    if (step.order?.epoch === run.epoch && step.order.number === order) return;
    const observed = { ...step, order: { number: order, epoch: run.epoch }, writeId: engine.ids.writeId() };
    // A packed step has no item of its own yet.
    const asSeen = { op: 'or', of: [{ op: 'missing', attr: 'pk' }, unchanged(step)] } as const;
    const write = await writeStep(engine, scopeOf(leaseOf(run)), observed, asSeen);
    if (write.ok) return;
  }
}
