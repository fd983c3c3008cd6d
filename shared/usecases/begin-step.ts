import { digest, idempotencyKey } from '../model/ids.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import type { RunningRun } from '../model/run.ts';
import type { RunningStep, Step, StepKind, StepLineage } from '../model/step.ts';
import type { Engine } from '../store/engine.ts';
import { readHistory } from '../store/history.ts';
import { checkPayload, loadPayload, type PayloadText, storePayload } from '../store/payloads.ts';
import { markBlobs } from '../store/runs.ts';
import { FIRST, unchanged, writeStep } from '../store/steps.ts';
import { blobName } from './blob-name.ts';
import { type RunLease, requireLease, scopeOf } from './lease.ts';

export interface BeginStep extends Partial<StepLineage> {
  readonly stepId: string;
  readonly kind: StepKind;
  readonly input?: PayloadText | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
}

export interface BegunStep {
  readonly step: Step;
  readonly shouldExecute: boolean;
  readonly idempotencyKey: string;
  readonly cachedOutput: PayloadText | undefined;
  /** The step was recorded with another input: what was recorded counts. */
  readonly inputChanged: boolean;
}

/** Proves the lease, then records the start, unless something is recorded already. */
export async function beginStep(engine: Engine, lease: RunLease, request: BeginStep): Promise<BegunStep> {
  checkPayload(engine, 'step input', request.input);
  const run = await requireLease(engine, lease);
  const packed = await findPacked(engine, run, request.stepId);
  if (packed !== null && !mayRun(packed, engine.clock.now())) return answer(engine, lease, request, packed, false);
  const begun = await freshStep(engine, run, lease, request);
  const fresh = packed === null ? begun : nextAttempt(packed, begun);
  let seen: Step | null = null;
  for (;;) {
    const step: RunningStep = seen === null ? fresh : { ...nextAttempt(seen, fresh), writeId: engine.ids.writeId() };
    const write = await writeStep(engine, scopeOf(lease), step, seen === null ? FIRST : unchanged(seen));
    if (write.ok) return answer(engine, lease, request, write.step, true);
    const { current } = write;
    if (current.status === 'RUNNING' && current.leaseToken === lease.token)
      return answer(engine, lease, request, current, true);
    if (current.status === 'RUNNING' && current.epoch > lease.epoch) await requireLease(engine, lease);
    if (!mayRun(current, engine.clock.now())) return answer(engine, lease, request, current, false);
    seen = current;
  }
}

/** A later attempt keeps what the step was begun with. */
const nextAttempt = (seen: Step, fresh: RunningStep): RunningStep => ({
  ...fresh,
  attempt: seen.attempt,
  input: seen.input,
  inputDigest: seen.inputDigest,
  createdAt: seen.createdAt,
  failedAttempts: seen.failedAttempts,
  retryPolicy: fresh.retryPolicy ?? seen.retryPolicy,
  writeUnits: seen.writeUnits,
});

const mayRun = (step: Step, now: number): boolean =>
  step.status === 'RUNNING' || (step.status === 'PENDING' && step.nextRetryAt <= now);

async function freshStep(engine: Engine, run: RunningRun, lease: RunLease, request: BeginStep): Promise<RunningStep> {
  const now = engine.clock.now();
  const place = { run: lease, incarnation: lease.incarnation, name: blobName(engine, request.stepId, 'in') };
  const input = await storePayload(engine, place, request.input, { inlineBytes: 1024, ownItem: false });
  if (input.payload?.at === 'blob' && !run.blobs) await markBlobs(engine, run);
  return {
    stepId: request.stepId,
    kind: request.kind,
    status: 'RUNNING',
    epoch: lease.epoch,
    attempt: 1,
    writeId: engine.ids.writeId(),
    leaseToken: lease.token,
    input: input.payload,
    inputDigest: request.input === undefined ? null : digest(request.input),
    retryPolicy: request.retryPolicy ?? null,
    parentStepId: request.parentStepId ?? null,
    parallelGroup: request.parallelGroup ?? null,
    childRunId: request.childRunId ?? null,
    createdAt: now,
    startedAt: now,
    failedAttempts: [],
    writeUnits: 0,
  };
}

/** Packed steps have no item in this generation: they must be looked up before the write-once put could succeed again. */
async function findPacked(engine: Engine, run: RunningRun, stepId: string): Promise<Step | null> {
  if (run.history.packedSteps === 0) return null;
  const { steps } = await readHistory(engine, run);
  return steps.slice(0, run.history.packedSteps).findLast((step) => step.stepId === stepId) ?? null;
}

async function answer(
  engine: Engine,
  lease: RunLease,
  request: BeginStep,
  step: Step,
  execute: boolean,
): Promise<BegunStep> {
  const output = step.status === 'COMPLETED' ? step.output : null;
  const inputChanged =
    request.input !== undefined && step.inputDigest !== null && step.inputDigest !== digest(request.input);
  if (inputChanged) {
    engine.telemetry.log('warn', 'step begun with another input than recorded', {
      run_id: lease.runId,
      step_id: step.stepId,
    });
  }
  return {
    step,
    shouldExecute: execute,
    idempotencyKey: idempotencyKey(lease.runId, lease.incarnation, step.stepId),
    cachedOutput: await loadPayload(engine, lease, lease.incarnation, output),
    inputChanged,
  };
}
