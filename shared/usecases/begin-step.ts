import { KagziError } from '../model/errors.ts';
import { digest, idempotencyKey } from '../model/ids.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import type { RunningRun } from '../model/run.ts';
import type { RunningStep, Step, StepKind, StepLineage } from '../model/step.ts';
import { type Place, traceBy } from '../model/trace.ts';
import type { Engine } from '../store/engine.ts';
import { findPacked } from '../store/history.ts';
import { checkPayload, loadPayload, mayBeBlob, type PayloadText, storePayload } from '../store/payloads.ts';
import { markBlobs } from '../store/runs.ts';
import { FIRST, readStep, STEP_INLINE, unchanged, writeStep } from '../store/steps.ts';
import { blobName } from './blob-name.ts';
import { leaseOf, type RunLease, requireLease, scopeOf } from './lease.ts';
import { recordSleep } from './record-sleep.ts';
import { waitForRetry } from './wait-for-retry.ts';

export interface BeginStep extends Partial<StepLineage>, Place {
  readonly stepId: string;
  readonly kind: StepKind;
  readonly input?: PayloadText | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Of a sleep: recorded as its time unless one is; the run stays with its worker. */
  readonly wakeAt?: number | undefined;
  /** A start recorded under another lease is not taken over: whether its body ran is not known. */
  readonly atMostOnce?: boolean | undefined;
  /** If the step waits for a retry, the worker waits itself instead of putting the run back. */
  readonly keepLease?: boolean | undefined;
}

export interface BegunStep {
  /** Null for a sleep that nobody has asked for yet. */
  readonly step: Step | null;
  readonly shouldExecute: boolean;
  readonly idempotencyKey: string;
  readonly cachedOutput: PayloadText | undefined;
  /** The step was recorded with another input: what was recorded counts. */
  readonly inputChanged: boolean;
  /** The step waits for its next attempt until then; so does the run, unless its worker kept it. */
  readonly retryAt: number | null;
}

/** Proves the lease, then records the start, unless something is recorded already. */
export async function beginStep(engine: Engine, lease: RunLease, request: BeginStep): Promise<BegunStep> {
  checkPayload(engine, 'step input', request.input);
  const run = await requireLease(engine, lease);
  const packed = await findPacked(engine, run, request.stepId);
  if (request.kind === 'SLEEP') return beginSleep(engine, run, request, packed);
  const step = await recordStart(engine, run, lease, request, packed);
  const waiting = step.status === 'PENDING';
  if (waiting && request.keepLease !== true) await waitForRetry(engine, run, step.nextRetryAt);
  const execute = step.status === 'RUNNING' && step.leaseToken === lease.token;
  return { ...(await answer(engine, lease, request, step, execute)), retryAt: waiting ? step.nextRetryAt : null };
}

/** What is recorded after this: our start, or what was there and may not be started. */
async function recordStart(
  engine: Engine,
  run: RunningRun,
  lease: RunLease,
  request: BeginStep,
  packed: Step | null,
): Promise<Step> {
  if (packed !== null) requireKind(packed, request);
  if (packed !== null && !mayRun(packed, request, engine.clock.now())) return packed;
  // What may become a blob is stored only for a step that has none yet.
  const known = packed ?? (mayBeBlob(request.input) ? await readStep(engine, scopeOf(lease), request.stepId) : null);
  const begun = await freshStep(engine, run, lease, known === null ? request : { ...request, input: undefined });
  let step = packed === null ? begun : nextAttempt(packed, begun);
  let seen: Step | null = null;
  for (;;) {
    const write = await writeStep(engine, scopeOf(lease), step, seen === null ? FIRST : unchanged(seen));
    if (write.ok) return write.step;
    seen = write.current;
    requireKind(seen, request);
    if (seen.status === 'RUNNING' && seen.leaseToken === lease.token) return seen;
    if (seen.epoch > lease.epoch) await requireLease(engine, lease);
    if (!mayRun(seen, request, engine.clock.now())) return seen;
    // The write that lost was billed too.
    const writeUnits = seen.writeUnits + 1;
    step = { ...nextAttempt(seen, begun), writeUnits, writeId: engine.ids.writeId() };
  }
}

/** Without a time nothing is written for it: the sleep call records it. Its time alone ends it. */
async function beginSleep(
  engine: Engine,
  run: RunningRun,
  request: BeginStep,
  packed: Step | null,
): Promise<BegunStep> {
  const { stepId, wakeAt: until, position, seen, slept, base, parallelGroup } = request;
  const lease = leaseOf(run);
  const recorded = (): Promise<Step | null> =>
    until === undefined
      ? readStep(engine, scopeOf(lease), stepId)
      : recordSleep(engine, run, { stepId, until, position, seen, slept, base, parallelGroup });
  const step = packed ?? (await recorded());
  if (step !== null) requireKind(step, request);
  const over = step?.status === 'SLEEPING' && step.wakeAt <= engine.clock.now();
  return { ...(await answer(engine, lease, request, step, !over)), retryAt: null };
}

function requireKind(step: Step, { kind, stepId }: BeginStep): void {
  if (step.kind === kind) return;
  const message = `The step "${stepId}" is recorded as ${step.kind} and cannot be begun as ${kind}.`;
  throw new KagziError('STEP_KIND_CONFLICT', message, { recorded: step.kind, given: kind });
}

/** A later attempt keeps what the step was begun with; where it stands now is for its present owner to say. */
const nextAttempt = (seen: Step, fresh: RunningStep): RunningStep => ({
  ...fresh,
  attempt: seen.attempt,
  traces: fresh.traces.length > 0 ? fresh.traces : seen.traces,
  input: seen.input,
  inputDigest: seen.inputDigest,
  parentStepId: seen.parentStepId,
  parallelGroup: seen.parallelGroup,
  childRunId: seen.childRunId,
  childType: seen.childType,
  createdAt: seen.createdAt,
  // Whoever takes a child over does not start it again.
  startedAt: seen.kind === 'CHILD_WORKFLOW' ? seen.startedAt : fresh.startedAt,
  failedAttempts: seen.failedAttempts,
  retryPolicy: fresh.retryPolicy ?? seen.retryPolicy,
  writeUnits: seen.writeUnits,
  readUnits: seen.readUnits + 1,
});

/** A start recorded by an owner before us is ours to take over. */
const mayRun = (step: Step, { atMostOnce }: BeginStep, now: number): boolean =>
  (step.status === 'RUNNING' && atMostOnce !== true) || (step.status === 'PENDING' && step.nextRetryAt <= now);

async function freshStep(engine: Engine, run: RunningRun, lease: RunLease, request: BeginStep): Promise<RunningStep> {
  const now = engine.clock.now();
  const place = { run: lease, incarnation: lease.incarnation, name: () => blobName(engine, request.stepId, 'in') };
  const input = await storePayload(engine, place, request.input, STEP_INLINE);
  if (input.payload?.at === 'blob' && !run.blobs) await markBlobs(engine, run);
  return {
    stepId: request.stepId,
    kind: request.kind,
    status: 'RUNNING',
    epoch: lease.epoch,
    attempt: 1,
    writeId: engine.ids.writeId(),
    leaseToken: lease.token,
    traces: traceBy(lease.epoch, request),
    input: input.payload,
    inputDigest: request.input === undefined ? null : digest(request.input),
    retryPolicy: request.retryPolicy ?? null,
    parentStepId: request.parentStepId ?? null,
    parallelGroup: request.parallelGroup ?? null,
    childRunId: request.childRunId ?? null,
    childType: request.childType ?? null,
    createdAt: now,
    startedAt: now,
    failedAttempts: [],
    writeUnits: 0,
    readUnits: 1,
  };
}

async function answer(
  engine: Engine,
  lease: RunLease,
  request: BeginStep,
  step: Step | null,
  shouldExecute: boolean,
): Promise<Omit<BegunStep, 'retryAt'>> {
  const output = step?.status === 'COMPLETED' ? step.output : null;
  const recorded = step?.inputDigest ?? null;
  const inputChanged = request.input !== undefined && recorded !== null && recorded !== digest(request.input);
  if (inputChanged) {
    engine.telemetry.log('warn', 'step begun with another input than recorded', {
      namespace: lease.namespace,
      run_id: lease.runId,
      step_id: request.stepId,
    });
  }
  return {
    step,
    shouldExecute,
    idempotencyKey: idempotencyKey(lease.runId, lease.incarnation, request.stepId),
    cachedOutput: await loadPayload(engine, lease, lease.incarnation, output),
    inputChanged,
  };
}
