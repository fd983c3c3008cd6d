import { failedStep } from '../model/failed-step.ts';
import type { Failure } from '../model/failure.ts';
import { DEFAULT_RETRY_POLICY, decideRetry, type RetryPolicy } from '../model/retry-policy.ts';
import type { RunningRun } from '../model/run.ts';
import { isDecided, type Step } from '../model/step.ts';
import { traceBy } from '../model/trace.ts';
import type { Engine } from '../store/engine.ts';
import { writeStep } from '../store/steps.ts';
import { leaseOf, scopeOf } from './lease.ts';
import { asKnown, billed, continued, type RecordStart, runningStep } from './record-start.ts';
import { renewLease } from './renew-lease.ts';

export interface RecordFailure extends RecordStart {
  readonly error: Failure;
  readonly retryAfterMs?: number | undefined;
  /** The step's own; the run's, or the default, counts if there is none. */
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Counts if there is no further attempt. */
  readonly order?: number | undefined;
}

/** A direct worker's attempt has failed. That it was the last is recorded only after the lease was proved again. */
export async function recordFailure(engine: Engine, run: RunningRun, request: RecordFailure): Promise<Step> {
  const now = engine.clock.now();
  const policy = request.retryPolicy ?? run.retryPolicy ?? DEFAULT_RETRY_POLICY;
  const error = { nonRetryable: request.error.nonRetryable, retryAfterMs: request.retryAfterMs };
  const decision = decideRetry(policy, request.attempt, error, now, engine.ids.random());
  if (!decision.retry) await renewLease(engine, run, run.steps);
  const traces = traceBy(run.epoch, request, decision.retry ? undefined : request.order);
  const begun = { ...runningStep(engine, run, request), retryPolicy: request.retryPolicy ?? null, traces };
  let seen = request.known;
  for (;;) {
    const failed = failedStep(continued(engine, run, seen, begun), request.error, decision, now);
    const write = await writeStep(engine, scopeOf(leaseOf(run)), failed, asKnown(seen, seen !== request.known));
    if (write.ok) {
      const metric = failed.status === 'PENDING' ? 'steps_retried' : 'steps_failed';
      engine.telemetry.count(metric, 1, { workflow_type: run.workflowType });
      return write.step;
    }
    if (isDecided(write.current)) return write.current;
    seen = billed(write.current);
  }
}
