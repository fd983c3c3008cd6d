import { KagziError } from '../../shared/model/errors.ts';
import { type Failure, failure } from '../../shared/model/failure.ts';
import { isEnded, type RunningRun } from '../../shared/model/run.ts';
import { isDecided, type Step } from '../../shared/model/step.ts';
import type { Engine } from '../../shared/store/engine.ts';
import type { ClaimResult } from '../../shared/usecases/claim-run.ts';
import { cancelChild, endRun } from '../../shared/usecases/end-run.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { findDecidedStep } from '../../shared/usecases/find-decided-step.ts';
import { getRun, type RunDetails, runDetails } from '../../shared/usecases/get-run.ts';
import { leaseLost, leaseOf, requireLease } from '../../shared/usecases/lease.ts';
import { stepOutput } from '../../shared/usecases/list-steps.ts';
import { observeStep } from '../../shared/usecases/observe-step.ts';
import { readInbox } from '../../shared/usecases/read-inbox.ts';
import { recordFailure } from '../../shared/usecases/record-failure.ts';
import { recordSleep } from '../../shared/usecases/record-sleep.ts';
import { recordStart } from '../../shared/usecases/record-start.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { recoverRun } from '../../shared/usecases/recover-run.ts';
import { releaseRun } from '../../shared/usecases/release-run.ts';
import { renewLease } from '../../shared/usecases/renew-lease.ts';
import { startChild } from '../../shared/usecases/start-child.ts';
import { suspendRun } from '../../shared/usecases/suspend-run.ts';
import type { RunInfo } from '../context.ts';
import {
  type Arrivals,
  type Child,
  type ChildEnd,
  type ChildRequest,
  type Journal,
  LOST_RACE,
  type RecordedStep,
  RunLostError,
  type StepFailure,
  type StepPlace,
  type StepResult,
  type Wait,
  type Wake,
} from '../replay/journal.ts';

type Claimed = Extract<ClaimResult, { readonly outcome: 'claimed' }>;

/** A body starts only if ownership was last proved by something sent less than this ago. */
const PROOF_MS = 1_000;
const PROOFS_AT_MOST = 10;

/** The record of a run that this process holds, reached through the use cases: no HTTP on the way. */
export class DirectJournal implements Journal {
  readonly run: RunInfo;
  readonly incarnation: string;
  readonly epoch: number;
  readonly startedAt: number;
  /** Keys of steps that have an item: what the head counts. */
  readonly #recorded: Set<string>;
  /** Steps that are recorded, but not decided: what is recorded of them next continues this. */
  readonly #open: Map<string, Step>;
  #run: RunningRun;
  #inboxRead: number | null = null;
  #proof: Proof;
  /** Whether the proof is younger than the history: then what was recorded before it may not be in there. */
  #isProvedSince = false;
  #onArrival: () => void = () => undefined;

  /** `sentAt` is when the claim was sent. */
  static async open(engine: Engine, claim: Claimed, sentAt: Proof): Promise<DirectJournal> {
    const { run, history } = claim;
    const { input } = await runDetails(engine, run);
    const steps =
      history.length === 0 ? [] : await Promise.all(history.map(async (step) => toRecorded(engine, run, step)));
    const open = new Map(history.filter((step) => !isDecided(step)).map((step) => [step.stepId, step]));
    return new DirectJournal(engine, run, input, steps, open, sentAt);
  }

  private constructor(
    private readonly engine: Engine,
    run: RunningRun,
    readonly input: string | undefined,
    readonly steps: readonly RecordedStep[],
    open: Map<string, Step>,
    sentAt: Proof,
  ) {
    this.#run = run;
    this.#recorded = new Set(steps.map(({ key }) => key));
    this.#open = open;
    this.#proof = sentAt;
    this.run = runInfo(run);
    this.incarnation = run.incarnation;
    this.epoch = run.epoch;
    this.startedAt = run.startedAt ?? run.createdAt;
  }

  /** Keeps the lease for another while; to be called well before it ends. */
  renew(): Promise<void> {
    return lostQuietly(async () => {
      const sentAt = proofNow(this.engine);
      this.#adopt(await renewLease(this.engine, this.#run, this.#recorded.size));
      this.#provedAt(sentAt);
      if (this.#run.inbox > (this.#inboxRead ?? 0)) this.#onArrival();
    });
  }

  onArrival(callback: () => void): void {
    this.#onArrival = callback;
  }

  readArrivals(): Promise<Arrivals> {
    return lostQuietly(async () => {
      const { count, arrivals } = await readInbox(this.engine, this.#run, this.#inboxRead === null);
      this.#inboxRead = count;
      const cancel = arrivals.find((arrival) => arrival.what === 'cancel');
      const ended = arrivals.flatMap((arrival) =>
        arrival.what === 'child-ended' ? [[arrival.stepId, arrival.childRunId] as const] : [],
      );
      return {
        count,
        endedChildren: new Map(ended),
        cancel: cancel === undefined ? null : { reason: cancel.reason, until: cancel.until },
      };
    });
  }

  begin(
    place: StepPlace,
    start: { readonly attempt: number; readonly visible: boolean },
  ): Promise<RecordedStep | null> | null {
    if (!start.visible && this.#isProved()) return null;
    return lostQuietly(async () => {
      const decided = await this.#prove(place.key);
      if (decided !== null) return toRecorded(this.engine, this.#run, decided);
      if (!start.visible) return null;
      const startedAt = this.engine.clock.now();
      const step = await recordStart(this.engine, this.#run, { ...this.#at(place), attempt: start.attempt, startedAt });
      this.#note(step);
      if (step.status !== 'RUNNING' || step.epoch !== this.epoch) return toRecorded(this.engine, this.#run, step);
      // Recording it may have taken its time.
      const meanwhile = await this.#prove(place.key);
      return meanwhile === null ? null : toRecorded(this.engine, this.#run, meanwhile);
    });
  }

  showStart(place: StepPlace, start: { readonly attempt: number; readonly startedAt: number }): Promise<void> {
    return lostQuietly(async () => {
      this.#note(await recordStart(this.engine, this.#run, { ...this.#at(place), ...start }));
    });
  }

  complete(place: StepPlace, result: StepResult): Promise<RecordedStep> {
    return recordStep(this.engine, this.#run, {
      stepId: place.key,
      kind: place.kind,
      parallelGroup: place.parallelGroup,
      position: place.position,
      seen: place.seen,
      slept: place.slept,
      base: place.base,
      known: this.#open.get(place.key),
      output: result.output,
      order: result.order,
      attempt: result.attempt,
      startedAt: result.startedAt,
      ...(result.child === undefined ? undefined : ofChild(result.child)),
    }).then(
      (step) => {
        this.#note(step);
        const shown = toRecorded(this.engine, this.#run, step);
        return shown instanceof Promise ? lostQuietly(() => shown) : shown;
      },
      (error: unknown) => this.#refuse(place, result, error),
    );
  }

  /** An output that is too large fails its step; whatever else went wrong is no word about the step. */
  #refuse(place: StepPlace, { output: _output, ...rest }: StepResult, error: unknown): Promise<RecordedStep> {
    if (!(error instanceof KagziError) || error.code !== 'PAYLOAD_TOO_LARGE') throw quietly(error);
    const { code, message } = error;
    const refusal = failure({ code, message, nonRetryable: true });
    return this.fail(place, { ...rest, error: refusal, retryAfterMs: undefined, retryPolicy: undefined });
  }

  fail(place: StepPlace, { child, ...failed }: StepFailure): Promise<RecordedStep> {
    return lostQuietly(async () => {
      const step = await recordFailure(this.engine, this.#run, { ...this.#at(place), ...ofChild(child), ...failed });
      this.#note(step);
      return toRecorded(this.engine, this.#run, step);
    });
  }

  sleep(place: StepPlace, wake: Wake): Promise<RecordedStep> {
    return lostQuietly(async () => {
      const until = 'until' in wake ? wake.until : this.engine.clock.now() + wake.afterMs;
      const step = await recordSleep(this.engine, this.#run, { ...at(place), until });
      this.#note(step);
      return toRecorded(this.engine, this.#run, step);
    });
  }

  observe(place: StepPlace, order: number): Promise<void> {
    return lostQuietly(() => observeStep(this.engine, this.#run, { ...at(place), order }));
  }

  startChild(place: StepPlace, request: ChildRequest): Promise<{ readonly ended: boolean }> {
    return lostQuietly(async () => {
      const { namespace, taskQueue } = this.#run;
      const child = { ...request, namespace, taskQueue: request.taskQueue ?? taskQueue };
      const { run, step } = await startChild(this.engine, leaseOf(this.#run), place.key, child, at(place));
      this.#note(step);
      return { ended: isEnded(run) };
    });
  }

  async childEnd({ key }: StepPlace, runId: string): Promise<ChildEnd | null> {
    const child = await this.#findRun(runId);
    const parent = child?.run.parent;
    // Under the same id there may be another run by now.
    if (child === null || parent?.incarnation !== this.incarnation || parent.stepId !== key) return null;
    const { run, output, error } = child;
    if (run.status !== 'COMPLETED' && run.status !== 'FAILED' && run.status !== 'CANCELLED') {
      throw new Error(`the child run ${runId} was said to have ended, but is ${run.status}`);
    }
    return { runId, status: run.status, output, error };
  }

  async #findRun(runId: string): Promise<RunDetails | null> {
    try {
      return await getRun(this.engine, { namespace: this.#run.namespace, runId });
    } catch (error) {
      if (error instanceof KagziError && error.code === 'RUN_NOT_FOUND') return null;
      throw error;
    }
  }

  cancelChild(runId: string): Promise<void> {
    return cancelChild(this.engine, this.#run, runId, LOST_RACE);
  }

  suspend({ at: until, status, arrivals }: Wait): Promise<boolean> {
    return lostQuietly(async () => {
      const held = await suspendRun(this.engine, this.#run, { until, status, inboxRead: arrivals });
      if (held !== null) this.#adopt(held);
      return held === null;
    });
  }

  completeRun(output: string | undefined): Promise<void> {
    return this.#end({ status: 'COMPLETED', output });
  }

  cancelRun(reason: string | null): Promise<void> {
    return this.#end({ status: 'CANCELLED', reason });
  }

  failRun(
    error: Failure,
    options: { readonly final: boolean; readonly retryAfterMs: number | undefined },
  ): Promise<number | null> {
    return lostQuietly(async () => {
      const failure = options.final ? { ...error, nonRetryable: true } : error;
      const request = { error: failure, retryAfterMs: options.retryAfterMs };
      return (await failRun(this.engine, leaseOf(this.#run), request)).retryAt;
    });
  }

  release(): Promise<void> {
    return lostQuietly(() => releaseRun(this.engine, this.#run));
  }

  /** Given up in the middle of a body, because the time of the worker is up: without progress that goes on only so often. */
  cutShort(): Promise<void> {
    return lostQuietly(() => recoverRun(this.engine, this.#run, 'deadline'));
  }

  #end(end: Parameters<typeof endRun>[2]): Promise<void> {
    return lostQuietly(async () => {
      const write = await endRun(this.engine, this.#run, end);
      if (!write.ok) throw leaseLost(leaseOf(this.#run), write.current);
    });
  }

  #at(place: StepPlace) {
    return { ...at(place), known: this.#open.get(place.key) };
  }

  #note(step: Step): void {
    this.#recorded.add(step.stepId);
    if (isDecided(step)) this.#open.delete(step.stepId);
    else this.#open.set(step.stepId, step);
  }

  /** Of two answers the one that was sent last may come first: a head of an earlier generation is an old one. */
  #adopt(run: RunningRun): void {
    if (run.history.generation >= this.#run.history.generation) this.#run = run;
  }

  /** Fast runs need no other proof than their claim, and no look at the record. */
  #isProved(): boolean {
    const isLookedAt = this.#isProvedSince && this.#run.epoch > 1;
    return !isLookedAt && this.#proofAge(proofNow(this.engine)) < PROOF_MS;
  }

  /** Answers what a former owner has recorded for the step by then, though the history does not say so. */
  async #prove(key: string): Promise<Step | null> {
    for (let proofs = 0; proofs < PROOFS_AT_MOST; proofs++) {
      const sentAt = proofNow(this.engine);
      if (this.#proofAge(sentAt) >= PROOF_MS) {
        await requireLease(this.engine, leaseOf(this.#run));
        this.#provedAt(sentAt);
      }
      // A run of the first epoch had no former owner.
      const isLookedAt = this.#isProvedSince && this.#run.epoch > 1;
      const decided = isLookedAt ? await findDecidedStep(this.engine, this.#run, key) : null;
      if (decided !== null || this.#proofAge(proofNow(this.engine)) < PROOF_MS) return decided;
    }
    throw new Error(`the store took longer than ${PROOF_MS} ms to answer, ${PROOFS_AT_MOST} times in a row`);
  }

  #provedAt(sentAt: Proof): void {
    this.#proof = sentAt;
    this.#isProvedSince = true;
  }

  /** By the larger of the two clocks: a machine that slept, or whose time was set, has no fresh proof. */
  #proofAge({ now, monotonic }: Proof): number {
    return Math.max(now - this.#proof.now, monotonic - this.#proof.monotonic);
  }
}

export interface Proof {
  readonly now: number;
  readonly monotonic: number;
}
export const proofNow = ({ clock }: Engine): Proof => ({ now: clock.now(), monotonic: clock.monotonic() });

const at = ({ key, ...place }: StepPlace) => ({ stepId: key, ...place });

/** Also where the record of its start lies among the packed ones, and this is the first of its generation. */
const ofChild = (child: Child | undefined) =>
  child === undefined ? {} : ({ kind: 'CHILD_WORKFLOW', childRunId: child.runId, childType: child.type } as const);

const runInfo = (run: RunningRun): RunInfo => ({
  namespace: run.namespace,
  runId: run.runId,
  workflowType: run.workflowType,
  version: run.version,
  taskQueue: run.taskQueue,
  externalId: run.externalId,
  scheduleId: run.scheduleId,
  fireAt: run.fireAt === null ? null : new Date(run.fireAt),
  parentRunId: run.parent?.runId ?? null,
  attempt: run.attempts,
  createdAt: new Date(run.createdAt),
});

/** Most outputs lie in the step itself, and nothing is to be waited for. */
function toRecorded(engine: Engine, run: RunningRun, step: Step): RecordedStep | Promise<RecordedStep> {
  const output = step.status === 'COMPLETED' ? stepOutput(engine, run, step) : undefined;
  return output instanceof Promise ? output.then((text) => recorded(step, text)) : recorded(step, output);
}

function recorded(step: Step, output: string | undefined): RecordedStep {
  return {
    key: step.stepId,
    kind: step.kind,
    traces: step.traces,
    attempt: step.attempt,
    startedAt: step.startedAt,
    childRunId: step.childRunId,
    childType: step.childType,
    state: stateOf(step, output),
  };
}

function stateOf(step: Step, output: string | undefined): RecordedStep['state'] {
  switch (step.status) {
    case 'RUNNING':
      return { status: 'RUNNING' };
    case 'PENDING':
      return { status: 'PENDING', nextRetryAt: step.nextRetryAt };
    case 'SLEEPING':
      return { status: 'SLEEPING', wakeAt: step.wakeAt };
    case 'COMPLETED':
      return { status: 'COMPLETED', output, finishedAt: step.finishedAt };
    case 'FAILED':
      return { status: 'FAILED', error: step.error, finishedAt: step.finishedAt };
  }
}

async function lostQuietly<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw quietly(error);
  }
}

function quietly(error: unknown): unknown {
  const lost = error instanceof KagziError && (error.code === 'LEASE_LOST' || error.code === 'RUN_NOT_FOUND');
  return lost ? new RunLostError(error.message, { cause: error }) : error;
}
