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
export async function recordStep(engine: Engine, run: RunningRun, request: RecordStep): Promise<Step> {
  checkPayload(engine, 'step output', request.output);
  const storing = storePayload(engine, outputPlace(engine, run, request), request.output, STEP_INLINE);
  const { payload } = storing instanceof Promise ? await storing : storing;
  if (payload?.at === 'blob' && !run.blobs) await markBlobs(engine, run);
  const fresh = completedStep(engine, run, request, payload);
  const scope = scopeOf(leaseOf(run));
  let seen = request.known;
  for (;;) {
    const step = seen === undefined ? fresh : nextOf(engine, run, seen, fresh, request);
    const write = await writeStep(engine, scope, step, asKnown(seen, seen !== request.known));
    if (write.ok) engine.telemetry.count('steps_completed', 1, { workflow_type: run.workflowType });
    if (write.ok) return write.step;
    if (isDecided(write.current)) return write.current;
    seen = billed(write.current);
  }
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
