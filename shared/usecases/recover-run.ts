import { failure } from '../model/failure.ts';
import { DEFAULT_RETRY_POLICY, maximumAttempts, retryDelayMs } from '../model/retry-policy.ts';
import type { RunningRun } from '../model/run.ts';
import { dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { extendHistory } from '../store/extend-history.ts';
import { countSteps, outlives } from '../store/history.ts';
import { reclaimHead } from '../store/runs.ts';
import { endRun } from './end-run.ts';

/** This many takeovers without progress, or the policy's attempts if those are more, and the run is poison. */
const MAX_STALLS = 5;

/** Takes a run from an owner that went silent: at once the first time, then by the backoff of its policy. */
export async function recoverRun(engine: Engine, run: RunningRun): Promise<void> {
  const policy = run.retryPolicy ?? DEFAULT_RETRY_POLICY;
  const steps = await countSteps(engine, run);
  const stalls = steps > run.steps ? 1 : run.stalls + 1;
  if (stalls > Math.max(MAX_STALLS, maximumAttempts(policy))) {
    const message = `The run was taken over ${run.stalls} times from workers that went silent, without recording a step in between.`;
    const error = failure({ code: 'STALLED', message, nonRetryable: true });
    await endRun(engine, run, { status: 'FAILED', error, takesOver: true });
    return;
  }
  const delay =
    stalls === 1
      ? 0
      : retryDelayMs(policy.kind === 'none' ? DEFAULT_RETRY_POLICY : policy, stalls - 1, engine.ids.random());
  const at = engine.clock.now() + delay;
  if (outlives(run, at)) await extendHistory(engine, run, at);
  const write = await reclaimHead(engine, run, { transition: 'recover', at, stalls, steps });
  if (!write.ok) return;
  engine.telemetry.count('leases_recovered', 1, { workflow_type: run.workflowType });
  engine.telemetry.log('warn', 'lease lapsed; the run is dispatched again', {
    namespace: run.namespace,
    run_id: run.runId,
    owner: run.lease.owner,
    stalls,
  });
  await dispatch(engine, write.run, at);
}
