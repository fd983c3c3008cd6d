import type { Failure } from '../model/failure.ts';
import { DEFAULT_RETRY_POLICY, decideRetry } from '../model/retry-policy.ts';
import type { Run } from '../model/run.ts';
import { dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { countSteps } from '../store/history.ts';
import { readRun } from '../store/run-head.ts';
import { retryHead } from '../store/runs.ts';
import { readStep } from '../store/steps.ts';
import { endRun } from './end-run.ts';
import { holds, leaseLost, type RunLease, scopeOf } from './lease.ts';

export interface FailRun {
  readonly error: Failure;
  readonly retryAfterMs?: number | undefined;
  /** The step whose final failure this is: its attempts are not multiplied by the run's. */
  readonly failedStepId?: string | undefined;
}

export interface FailedRunAnswer {
  readonly run: Run;
  readonly retryAt: number | null;
}

export async function failRun(engine: Engine, lease: RunLease, request: FailRun): Promise<FailedRunAnswer> {
  const run = await readRun(engine, lease);
  const asked = run !== null && run.incarnation === lease.incarnation && run.epoch === lease.epoch;
  if (asked && run.status === 'FAILED') return { run, retryAt: null };
  if (asked && run.status === 'PENDING') return { run, retryAt: run.availableAt };
  if (!holds(run, lease)) throw leaseLost(lease, run);
  const exhausted =
    request.failedStepId !== undefined &&
    (await readStep(engine, scopeOf(lease), request.failedStepId))?.status === 'FAILED';
  const decision = decideRetry(
    exhausted ? { kind: 'none' } : (run.retryPolicy ?? DEFAULT_RETRY_POLICY),
    run.attempts,
    { nonRetryable: request.error.nonRetryable, retryAfterMs: request.retryAfterMs },
    engine.clock.now(),
    engine.ids.random(),
  );
  if (!decision.retry) {
    const write = await endRun(engine, run, { status: 'FAILED', error: request.error });
    if (!write.ok) throw leaseLost(lease, write.current);
    return { run: write.run, retryAt: null };
  }
  const steps = await countSteps(engine, run);
  const write = await retryHead(engine, run, {
    at: decision.at,
    steps,
    attempts: run.attempts + 1,
    spentWriteUnits: 0,
  });
  if (!write.ok) throw leaseLost(lease, write.current);
  engine.telemetry.count('runs_retried', 1, { workflow_type: run.workflowType });
  await dispatch(engine, write.run, decision.at);
  return { run: write.run, retryAt: decision.at };
}
