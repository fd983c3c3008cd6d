import { KagziError } from '../model/errors.ts';
import type { Step } from '../model/step.ts';
import type { Engine } from '../store/engine.ts';
import { checkPayload, mayBeBlob, type PayloadText, storePayload } from '../store/payloads.ts';
import { markBlobs } from '../store/runs.ts';
import { completeBegunStep, STEP_INLINE } from '../store/steps.ts';
import { blobName } from './blob-name.ts';
import { type RunLease, requireLease, scopeOf } from './lease.ts';

/**
 * Written first, then the lease is looked at again: a result is acknowledged only if the run was still this
 * worker's after it had been written, so whoever takes over later is bound to find it.
 */
export async function completeStep(
  engine: Engine,
  lease: RunLease,
  stepId: string,
  output: PayloadText | undefined,
  order?: number,
): Promise<Step> {
  checkPayload(engine, 'step output', output);
  // What may become a blob is stored for the holder only: nothing else would find it again soon.
  if (mayBeBlob(output)) await requireLease(engine, lease);
  const place = { run: lease, incarnation: lease.incarnation, name: () => blobName(engine, stepId, 'out') };
  const stored = await storePayload(engine, place, output, STEP_INLINE);
  const write = await completeBegunStep(engine, scopeOf(lease), stepId, {
    leaseToken: lease.token,
    output: stored.payload,
    finishedAt: engine.clock.now(),
    order,
  });
  const run = await requireLease(engine, lease);
  if (stored.payload?.at === 'blob' && !run.blobs) await markBlobs(engine, run);
  if (write.ok) {
    engine.telemetry.count('steps_completed', 1, { workflow_type: run.workflowType });
    return write.step;
  }
  return adopt(write.current, lease, stepId);
}

/** The same call once more, after its answer was lost, is answered with what it recorded. */
function adopt(current: Step | null, lease: RunLease, stepId: string): Step {
  if (current === null) throw new KagziError('STEP_NOT_BEGUN', `The step "${stepId}" was not begun.`);
  if (current.status === 'COMPLETED' && current.leaseToken === lease.token) return current;
  if (current.status === 'RUNNING' || current.status === 'PENDING') {
    throw new KagziError('STEP_NOT_BEGUN', `The step "${stepId}" was not begun under this lease.`, {
      status: current.status,
    });
  }
  throw new KagziError('STEP_FINISHED', `The step "${stepId}" has ended already: it is ${current.status}.`, {
    status: current.status,
  });
}
