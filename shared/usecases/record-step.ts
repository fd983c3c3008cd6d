import type { RunningRun } from '../model/run.ts';
import { type CompletedStep, isDecided, type Step, type StepLineage } from '../model/step.ts';
import type { StoredPayload } from '../model/stored-payload.ts';
import { type Place, traceBy } from '../model/trace.ts';
import type { Engine } from '../store/engine.ts';
import { checkPayload, type PayloadPlace, type PayloadText, storePayload } from '../store/payloads.ts';
import { markBlobs } from '../store/runs.ts';
import { STEP_INLINE, writeStep } from '../store/steps.ts';
import { blobName } from './blob-name.ts';
import { leaseOf, scopeOf } from './lease.ts';
import { asKnown, billed, continued, type Known } from './record-start.ts';

export interface RecordStep extends Partial<StepLineage>, Place, Known {
  readonly stepId: string;
  readonly output: PayloadText | undefined;
  readonly startedAt: number;
  readonly attempt?: number | undefined;
  readonly order?: number | undefined;
}

/**
 * The result of a step that a direct worker has just executed: one put, no read. First writer wins; the loser
 * adopts what is recorded and goes on with that.
 */
export function recordStep(engine: Engine, run: RunningRun, request: RecordStep): Promise<Step> {
  try {
    checkPayload(engine, 'step output', request.output);
    const stored = storePayload(engine, outputPlace(engine, run, request), request.output, STEP_INLINE);
    return stored instanceof Promise
      ? stored.then(({ payload }) => putLarge(engine, run, request, payload))
      : put(engine, run, request, completedStep(engine, run, request, stored.payload), request.known);
  } catch (error) {
    return Promise.reject(error);
  }
}

async function putLarge(
  engine: Engine,
  run: RunningRun,
  request: RecordStep,
  payload: StoredPayload | null,
): Promise<Step> {
  if (payload?.at === 'blob' && !run.blobs) await markBlobs(engine, run);
  return put(engine, run, request, completedStep(engine, run, request, payload), request.known);
}

function put(
  engine: Engine,
  run: RunningRun,
  request: RecordStep,
  fresh: CompletedStep,
  seen: Step | undefined,
): Promise<Step> {
  const step = seen === undefined ? fresh : nextOf(engine, run, seen, fresh, request);
  const expect = asKnown(seen, seen !== request.known);
  return writeStep(engine, scopeOf(leaseOf(run)), step, expect).then((write) => {
    if (write.ok) {
      engine.telemetry.count('steps_completed', 1, { workflow_type: run.workflowType });
      return write.step;
    }
    return isDecided(write.current) ? write.current : put(engine, run, request, fresh, billed(write.current));
  });
}

const outputPlace = (engine: Engine, run: RunningRun, { stepId }: RecordStep): PayloadPlace => ({
  run,
  incarnation: run.incarnation,
  name: () => blobName(engine, stepId, 'out'),
});

const completedStep = (
  engine: Engine,
  run: RunningRun,
  request: RecordStep,
  output: StoredPayload | null,
): CompletedStep => ({
  stepId: request.stepId,
  kind: request.kind ?? 'FUNCTION',
  status: 'COMPLETED',
  epoch: run.epoch,
  attempt: request.attempt ?? 1,
  writeId: engine.ids.writeId(),
  leaseToken: null,
  traces: traceBy(run.epoch, request, request.order),
  input: null,
  inputDigest: null,
  retryPolicy: null,
  parentStepId: request.parentStepId ?? null,
  parallelGroup: request.parallelGroup ?? null,
  childRunId: request.childRunId ?? null,
  childType: request.childType ?? null,
  createdAt: request.startedAt,
  startedAt: request.startedAt,
  finishedAt: engine.clock.now(),
  output,
  failedAttempts: [],
  readUnits: 0,
  writeUnits: 0,
});

const nextOf = (
  engine: Engine,
  run: RunningRun,
  before: Step,
  fresh: CompletedStep,
  { attempt }: RecordStep,
): CompletedStep => ({
  ...continued(engine, run, before, fresh),
  attempt: attempt ?? before.attempt,
});
