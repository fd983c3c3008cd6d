import type { RunningRun } from '../model/run.ts';
import { type CompletedStep, isDecided, type Step, type StepLineage } from '../model/step.ts';
import type { Engine } from '../store/engine.ts';
import { checkPayload, type PayloadText, storePayload } from '../store/payloads.ts';
import { markBlobs } from '../store/runs.ts';
import { FIRST, STEP_INLINE, unchanged, writeStep } from '../store/steps.ts';
import { blobName } from './blob-name.ts';
import { leaseOf, scopeOf } from './lease.ts';

export interface RecordStep extends Partial<StepLineage> {
  readonly stepId: string;
  readonly output: PayloadText | undefined;
  readonly startedAt: number;
  readonly attempt?: number | undefined;
}

/**
 * The result of a step that a direct worker has just executed: one put, no read. First writer wins; the loser
 * adopts what is recorded and goes on with that.
 */
export async function recordStep(engine: Engine, run: RunningRun, request: RecordStep): Promise<Step> {
  checkPayload(engine, 'step output', request.output);
  const lease = leaseOf(run);
  const place = { run, incarnation: run.incarnation, name: blobName(engine, request.stepId, 'out') };
  const { payload } = await storePayload(engine, place, request.output, STEP_INLINE);
  if (payload?.at === 'blob' && !run.blobs) await markBlobs(engine, run);
  const fresh: CompletedStep = {
    stepId: request.stepId,
    kind: 'FUNCTION',
    status: 'COMPLETED',
    epoch: run.epoch,
    attempt: request.attempt ?? 1,
    writeId: engine.ids.writeId(),
    leaseToken: null,
    input: null,
    inputDigest: null,
    retryPolicy: null,
    parentStepId: request.parentStepId ?? null,
    parallelGroup: request.parallelGroup ?? null,
    childRunId: null,
    createdAt: request.startedAt,
    startedAt: request.startedAt,
    finishedAt: engine.clock.now(),
    output: payload,
    failedAttempts: [],
    writeUnits: 0,
  };
  let seen: Step | null = null;
  for (;;) {
    const step: CompletedStep = seen === null ? fresh : { ...fresh, ...kept(seen), writeId: engine.ids.writeId() };
    const write = await writeStep(engine, scopeOf(lease), step, seen === null ? FIRST : unchanged(seen));
    if (write.ok) engine.telemetry.count('steps_completed', 1, { workflow_type: run.workflowType });
    if (write.ok) return write.step;
    if (isDecided(write.current)) return write.current;
    seen = write.current;
  }
}

/** A start or a failed attempt recorded before stays part of the step's story. */
const kept = (seen: Step) => ({
  attempt: seen.attempt,
  input: seen.input,
  inputDigest: seen.inputDigest,
  createdAt: seen.createdAt,
  failedAttempts: seen.failedAttempts,
  writeUnits: seen.writeUnits,
});
