import { KagziError } from '../model/errors.ts';
import { failedStep } from '../model/failed-step.ts';
import type { Failure } from '../model/failure.ts';
import { DEFAULT_RETRY_POLICY, decideRetry, type RetryPolicy } from '../model/retry-policy.ts';
import type { Run, RunningRun } from '../model/run.ts';
import type { RunningStep, Step } from '../model/step.ts';
import { toldBy } from '../model/trace.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import { readStep, unchanged, writeStep } from '../store/steps.ts';
import { holds, leaseLost, type RunLease, requireLease, scopeOf } from './lease.ts';
import { waitForRetry } from './wait-for-retry.ts';

export interface FailStep {
  readonly stepId: string;
  readonly error: Failure;
  readonly retryAfterMs?: number | undefined;
  /** The worker keeps the run, because other steps of it are under way, and begins the step again itself. */
  readonly keepLease?: boolean | undefined;
  /** Wins over the one the step was begun with. */
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Counts if there is no further attempt. */
  readonly order?: number | undefined;
}

export interface FailedStepAnswer {
  readonly step: Step;
  readonly retryAt: number | null;
}

/** Tried again by the step's policy, else the run's, else the default; the run waits for it as PENDING. */
export async function failStep(engine: Engine, lease: RunLease, request: FailStep): Promise<FailedStepAnswer> {
  const run = await readRun(engine, lease);
  const seen = await readStep(engine, scopeOf(lease), request.stepId);
  if (!holds(run, lease)) return repeated(run, lease, seen);
  const step = await recordFailure(engine, run, lease, request, seen);
  if (step.status !== 'PENDING' || request.keepLease === true) {
    await requireLease(engine, lease);
    return { step, retryAt: step.status === 'PENDING' ? step.nextRetryAt : null };
  }
  await waitForRetry(engine, run, step.nextRetryAt);
  return { step, retryAt: step.nextRetryAt };
}

/** The same call once more, after its answer was lost: nobody else can have put the run back in this epoch. */
function repeated(run: Run | null, lease: RunLease, seen: Step | null): FailedStepAnswer {
  const putBack =
    run?.status === 'PENDING' && run.incarnation === lease.incarnation && run.epoch === lease.epoch && seen !== null;
  if (!putBack || seen.status !== 'PENDING' || seen.leaseToken !== lease.token) throw leaseLost(lease, run);
  return { step: seen, retryAt: seen.nextRetryAt };
}

async function recordFailure(
  engine: Engine,
  run: RunningRun,
  lease: RunLease,
  request: FailStep,
  seen: Step | null,
): Promise<Step> {
  const { stepId, error } = request;
  if (seen === null) throw new KagziError('STEP_NOT_BEGUN', `The step "${stepId}" was not begun.`);
  // The same call once more, after its answer was lost.
  if ((seen.status === 'PENDING' || seen.status === 'FAILED') && seen.leaseToken === lease.token) return seen;
  // Whoever took the run over meanwhile has begun or ended the step: that is a lost lease, not a wrong call.
  if (seen.status !== 'RUNNING' || seen.leaseToken !== lease.token) await requireLease(engine, lease);
  if (seen.status !== 'RUNNING') {
    const code = seen.status === 'PENDING' ? 'STEP_NOT_BEGUN' : 'STEP_FINISHED';
    throw new KagziError(code, `The step "${stepId}" is not running: it is ${seen.status}.`, { status: seen.status });
  }
  if (seen.leaseToken !== lease.token) {
    throw new KagziError('STEP_NOT_BEGUN', `The step "${stepId}" was not begun under this lease.`, {
      status: seen.status,
    });
  }
  const failed = afterFailure(engine, run, request, seen);
  const write = await writeStep(engine, scopeOf(lease), failed, unchanged(seen));
  if (write.ok) {
    engine.telemetry.count(failed.status === 'PENDING' ? 'steps_retried' : 'steps_failed', 1, {
      workflow_type: run.workflowType,
    });
    return write.step;
  }
  await requireLease(engine, lease);
  throw new KagziError('STEP_FINISHED', `The step "${stepId}" has ended already: it is ${write.current.status}.`, {
    status: write.current.status,
    code: error.code,
  });
}

function afterFailure(engine: Engine, run: RunningRun, request: FailStep, seen: RunningStep): Step {
  const now = engine.clock.now();
  const retryPolicy = request.retryPolicy ?? seen.retryPolicy;
  const policy = retryPolicy ?? run.retryPolicy ?? DEFAULT_RETRY_POLICY;
  const error = { ...request.error, retryAfterMs: request.retryAfterMs };
  const decision = decideRetry(policy, seen.attempt, error, now, engine.ids.random());
  const { order } = request;
  const traces = decision.retry || order === undefined ? seen.traces : toldBy(seen.traces, run.epoch, order);
  return failedStep({ ...seen, retryPolicy, traces, writeId: engine.ids.writeId() }, request.error, decision, now);
}
