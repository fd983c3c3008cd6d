import { KagziError } from '../model/errors.ts';
import type { Failure } from '../model/failure.ts';
import { DEFAULT_RETRY_POLICY, decideRetry } from '../model/retry-policy.ts';
import type { Run } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { findStep } from '../store/find-step.ts';
import { readRun } from '../store/run-head.ts';
import { endRun } from './end-run.ts';
import { holds, leaseLost, type RunLease } from './lease.ts';
import { waitForRetry } from './wait-for-retry.ts';

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

/** Asked again after a lost answer it is answered the same: nobody else can have put the run back in this epoch. */
export async function failRun(engine: Engine, lease: RunLease, request: FailRun): Promise<FailedRunAnswer> {
  const run = await readRun(engine, lease);
  const asked = run !== null && run.incarnation === lease.incarnation && run.epoch === lease.epoch;
  if (asked && run.status === 'FAILED') return { run, retryAt: null };
  if (asked && run.status === 'PENDING') return { run, retryAt: run.availableAt };
  if (!holds(run, lease)) throw leaseLost(lease, run);
  const decision = decideRetry(
    (await isExhausted(engine, run, request)) ? { kind: 'none' } : (run.retryPolicy ?? DEFAULT_RETRY_POLICY),
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
  const waiting = await waitForRetry(engine, run, decision.at, run.attempts + 1);
  engine.telemetry.count('runs_retried', 1, { workflow_type: run.workflowType });
  return { run: waiting, retryAt: decision.at };
}

async function isExhausted(engine: Engine, run: Run, { failedStepId }: FailRun): Promise<boolean> {
  if (failedStepId === undefined) return false;
  const step = await findStep(engine, run, failedStepId);
  if (step !== null) return step.status === 'FAILED';
  throw new KagziError('STEP_NOT_FOUND', `There is no step "${failedStepId}".`, { step_id: failedStepId });
}
