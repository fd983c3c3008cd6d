import { failure } from '../model/failure.ts';
import { DEFAULT_RETRY_POLICY, maximumAttempts, retryDelayMs } from '../model/retry-policy.ts';
import type { RunningRun } from '../model/run.ts';
import { dispatch, timerFor } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { extendHistory } from '../store/extend-history.ts';
import { countSteps, outlives, readHistory } from '../store/history.ts';
import { reclaimHead } from '../store/runs.ts';
import { endRun } from './end-run.ts';

/** Why its owner did not get further: it went silent, or its own time was up while a body was under way. */
type Stall = 'silence' | 'deadline';

/** This many takeovers without progress, or the policy's attempts if those are more, and the run is poison. */
const MAX_STALLS = 5;
const LOGGED: Readonly<Record<Stall, string>> = {
  silence: 'lease lapsed; the run is dispatched again',
  deadline: "a step was cut short by the end of its worker's time; the run is dispatched again",
};

/** Takes a run from an owner that got stuck: at once the first time, then by the backoff of its policy. */
export async function recoverRun(engine: Engine, run: RunningRun, stall: Stall = 'silence'): Promise<void> {
  const policy = run.retryPolicy ?? DEFAULT_RETRY_POLICY;
  const steps = await countSteps(engine, run);
  const stalls = steps > run.steps ? 1 : run.stalls + 1;
  if (stalls > Math.max(MAX_STALLS, maximumAttempts(policy))) {
    const message = await explain(engine, run, stall);
    const error = failure({ code: 'STALLED', message, nonRetryable: true });
    const end = await endRun(engine, run, { status: 'FAILED', error, takesOver: true });
    if (end.ok) engine.telemetry.count('runs_stalled', 1, { workflow_type: run.workflowType });
    return;
  }
  const delay =
    stalls === 1
      ? 0
      : retryDelayMs(policy.kind === 'none' ? DEFAULT_RETRY_POLICY : policy, stalls - 1, engine.ids.random());
  const at = engine.clock.now() + delay;
  if (outlives(run, at)) await extendHistory(engine, run, at);
  const write = await reclaimHead(engine, run, {
    transition: 'recover',
    at,
    // The owner may have died before it had taken away the timer of the wait before.
    timerAt: timerFor(engine, at) ?? run.timerAt,
    stalls,
    steps,
    isLapsed: stall === 'silence',
  });
  if (!write.ok) return;
  engine.telemetry.count('leases_recovered', 1, { workflow_type: run.workflowType });
  engine.telemetry.log('warn', LOGGED[stall], {
    namespace: run.namespace,
    run_id: run.runId,
    owner: run.lease.owner,
    stalls,
  });
  await dispatch(engine, write.run, at);
}

async function explain(engine: Engine, run: RunningRun, stall: Stall): Promise<string> {
  if (stall === 'silence') {
    return `The run was taken over ${run.stalls} times from workers that went silent, without recording a step in between.`;
  }
  const { steps } = await readHistory(engine, run);
  const cut = steps.filter(({ status, kind }) => status === 'RUNNING' && kind === 'FUNCTION');
  const names = cut.map(({ stepId }) => `"${stepId}"`).join(', ');
  return `The run was cut short ${run.stalls + 1} times because the time of its worker was up, without recording a step in between: a step takes longer than the function may live (under way: ${names || 'unknown'}). Give the function more time, or split the step.`;
}
