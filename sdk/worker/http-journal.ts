import { MAX_DURATION_MS } from '../../shared/model/duration.ts';
import type { Failure } from '../../shared/model/failure.ts';
import { storableInstant } from '../../shared/model/instant.ts';
import { policyToWire } from '../../shared/model/wire-policy.ts';
import { ApiError } from '../client/api-error.ts';
import type { HttpApi } from '../client/http-api.ts';
import { fromWireError, type WireError } from '../client/http-transport.ts';
import { jsonOf, textOf } from '../client/wire-values.ts';
import type { RunInfo } from '../context.ts';
import { NonRetryableError } from '../errors.ts';
import { toFailure } from '../replay/failures.ts';
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
import type { ServerClock } from './server-clock.ts';
import { runInfoOf, toRecorded, type WireStep, type WireStepPage, type WireTask } from './wire-task.ts';

interface Begun {
  readonly should_execute: boolean;
  readonly step: WireStep;
  readonly cached_output?: unknown;
  readonly server_time: string;
}

interface WireChild {
  readonly status: string;
  readonly parent: { readonly run_id: string; readonly step_id: string } | null;
  readonly output?: unknown;
  readonly error: WireError | null;
}
const isEnd = (status: string): status is ChildEnd['status'] =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

type Arrival =
  | { readonly what: 'child-ended'; readonly step_id: string; readonly child_run_id: string }
  | { readonly what: 'cancel'; readonly reason: string | null; readonly until: string };

/** A body starts only if the lease was proved by a begin that was sent less than this ago. */
const PROOF_MS = 1_000;
const PROOFS_AT_MOST = 10;
/** Engines may differ in their clocks: a retry that one of them calls too early is tried again after this long. */
const EARLY_RETRY_MS = 200;

const LOST: ReadonlySet<string> = new Set(['LEASE_LOST', 'RUN_NOT_FOUND']);
const isRefused = (error: unknown, code: string): boolean => error instanceof ApiError && error.code === code;
const instant = (at: number): string => new Date(storableInstant(at)).toISOString();

/** The record of a run that a poll worker holds, reached over the HTTP API. */
export class HttpJournal implements Journal {
  readonly run: RunInfo;
  readonly incarnation: string;
  readonly epoch: number;
  readonly startedAt: number;
  readonly input: string | undefined;
  /** Steps that are begun under this lease: only those may be completed or failed. */
  readonly #begun = new Set<string>();
  readonly #path: string;
  readonly #lease: string;
  #inboxRead: number | null = null;
  #onArrival: () => void = () => undefined;

  /** Reads what is left of the history. The signal ends every call about the run. */
  static async open(
    api: HttpApi,
    clock: ServerClock,
    namespace: string,
    task: WireTask,
    signal: AbortSignal,
  ): Promise<HttpJournal> {
    const steps = [...task.history.steps];
    const path = `/runs/${task.run_id}/steps`;
    let token = task.history.next_page_token;
    while (token !== null) {
      const query = { page_size: 100, page_token: token };
      const page = await lostQuietly(api.call<WireStepPage>({ path, query, signal }));
      steps.push(...page.steps);
      token = page.next_page_token;
    }
    const recorded = steps.map((step) => toRecorded(step));
    return new HttpJournal(api, clock, namespace, task, recorded, signal);
  }

  private constructor(
    private readonly api: HttpApi,
    private readonly clock: ServerClock,
    namespace: string,
    private readonly task: WireTask,
    readonly steps: readonly RecordedStep[],
    private readonly signal: AbortSignal,
  ) {
    this.run = runInfoOf(namespace, task);
    this.incarnation = task.incarnation;
    this.epoch = task.epoch;
    this.startedAt = Date.parse(task.started_at);
    this.input = textOf(task.input);
    this.#path = `/runs/${task.run_id}`;
    this.#lease = task.lease;
  }

  /** For heartbeats. */
  get inboxRead(): number {
    return this.#inboxRead ?? this.task.inbox;
  }

  /** A heartbeat was told that there is more in the inbox. */
  arrived(): void {
    this.#onArrival();
  }

  onArrival(callback: () => void): void {
    this.#onArrival = callback;
  }

  async readArrivals(): Promise<Arrivals> {
    const isFresh = this.#inboxRead === null && this.task.inbox === 0;
    const { count, arrivals } = isFresh
      ? { count: 0, arrivals: [] }
      : await this.#post<{ count: number; arrivals: readonly Arrival[] }>('/inbox', {});
    this.#inboxRead = count;
    const cancel = arrivals.find((arrival) => arrival.what === 'cancel');
    const ended = arrivals.flatMap((arrival) =>
      arrival.what === 'child-ended' ? [[arrival.step_id, arrival.child_run_id] as const] : [],
    );
    return {
      count,
      endedChildren: new Map(ended),
      cancel: cancel === undefined ? null : { reason: cancel.reason, until: Date.parse(cancel.until) },
    };
  }

  async begin(
    place: StepPlace,
    start: { readonly attempt: number; readonly visible: boolean },
  ): Promise<RecordedStep | null> {
    for (let proofs = 0; proofs < PROOFS_AT_MOST; proofs++) {
      const { local } = this.clock;
      const sentAt = { now: local.now(), monotonic: local.monotonic() };
      const { should_execute, step, cached_output } = await this.#begin(place, { at_most_once: start.visible });
      if (!should_execute) return this.#notYet(toRecorded(step, textOf(cached_output)));
      const age = Math.max(local.now() - sentAt.now, local.monotonic() - sentAt.monotonic);
      if (age < PROOF_MS) return null;
    }
    throw new Error(`the engine took longer than ${PROOF_MS} ms to answer, ${PROOFS_AT_MOST} times in a row`);
  }

  async #begin(place: StepPlace, options: Readonly<Record<string, unknown>> = {}): Promise<Begun> {
    const sentAt = this.clock.monotonic();
    const begun = await this.#step<Begun>('begin', place, { ...at(place), keep_lease: true, ...options });
    this.clock.hear(begun.server_time, sentAt);
    if (begun.should_execute) this.#begun.add(place.key);
    return begun;
  }

  #notYet(step: RecordedStep): RecordedStep {
    if (step.state.status !== 'PENDING') return step;
    const nextRetryAt = Math.max(step.state.nextRetryAt, this.clock.now() + EARLY_RETRY_MS);
    return { ...step, state: { status: 'PENDING', nextRetryAt } };
  }

  /** Begin has recorded it. */
  showStart(): Promise<void> {
    return Promise.resolve();
  }

  async complete(place: StepPlace, { child, output, order, attempt, startedAt }: StepResult): Promise<RecordedStep> {
    try {
      const body = { output: jsonOf(output), order };
      return await this.#conclude(place, child, async () =>
        toRecorded(await this.#step<WireStep>('complete', place, body), output),
      );
    } catch (error) {
      if (!isRefused(error, 'PAYLOAD_TOO_LARGE')) throw error;
      const failed = { error: tooLarge(error), retryAfterMs: undefined, retryPolicy: undefined };
      return this.fail(place, { ...failed, ...(child === undefined ? {} : { child }), order, attempt, startedAt });
    }
  }

  fail(place: StepPlace, failed: StepFailure): Promise<RecordedStep> {
    const body = {
      error: toWireError(failed.error, failed.retryAfterMs),
      retry_policy: failed.retryPolicy && policyToWire(failed.retryPolicy),
      order: failed.order,
      keep_lease: true,
    };
    return this.#conclude(place, failed.child, async () => {
      const { step } = await this.#step<{ step: WireStep }>('fail', place, body);
      return toRecorded(step);
    });
  }

  /** What nobody has begun under this lease is begun first; what somebody else has concluded is adopted. */
  async #conclude(
    place: StepPlace,
    child: Child | undefined,
    write: () => Promise<RecordedStep>,
  ): Promise<RecordedStep> {
    if (!this.#begun.has(place.key)) {
      const kind = child === undefined ? undefined : 'CHILD_WORKFLOW';
      const { should_execute, step, cached_output } = await this.#begin(place, { kind });
      if (!should_execute) return toRecorded(step, textOf(cached_output));
    }
    try {
      return await write();
    } catch (error) {
      if (!isRefused(error, 'STEP_FINISHED')) throw error;
      const path = `${this.#path}/step`;
      return toRecorded(await this.#call<WireStep>({ path, query: { step_id: place.key } }));
    } finally {
      this.#begun.delete(place.key);
    }
  }

  async sleep(place: StepPlace, wake: Wake): Promise<RecordedStep> {
    const time = 'until' in wake ? { wake_at: instant(wake.until) } : { duration_ms: wake.afterMs };
    const { step } = await this.#begin(place, time);
    return toRecorded(step);
  }

  async observe(place: StepPlace, order: number): Promise<void> {
    await this.#step('observe', place, { ...placeOf(place), order });
  }

  async startChild(place: StepPlace, request: ChildRequest): Promise<{ readonly ended: boolean }> {
    const { status } = await this.#call<{ status: string }>({
      path: '/runs',
      body: {
        workflow_type: request.workflowType,
        version: request.version,
        task_queue: request.taskQueue ?? this.run.taskQueue,
        external_id: request.externalId,
        input: jsonOf(request.input),
        retry_policy: request.retryPolicy && policyToWire(request.retryPolicy),
        parent: {
          run_id: this.run.runId,
          step_id: place.key,
          lease: this.#lease,
          ...placeOf(place),
        },
      },
    });
    this.#begun.add(place.key);
    return { ended: isEnd(status) };
  }

  async childEnd({ key }: StepPlace, runId: string): Promise<ChildEnd | null> {
    const child = await this.#findRun(runId);
    // Under the same id there may be another run by now.
    if (child?.parent?.run_id !== this.run.runId || child.parent.step_id !== key) return null;
    const { status } = child;
    if (!isEnd(status)) {
      throw new Error(`the child run ${runId} was said to have ended, but is ${status}`);
    }
    const error = child.error === null ? null : fromWireError(child.error);
    return { runId, status, output: textOf(child.output), error };
  }

  async #findRun(runId: string): Promise<WireChild | null> {
    try {
      return await this.api.call<WireChild>({ path: `/runs/${runId}`, signal: this.signal });
    } catch (error) {
      if (isRefused(error, 'RUN_NOT_FOUND')) return null;
      throw error;
    }
  }

  async cancelChild(runId: string): Promise<void> {
    const path = `/runs/${runId}`;
    try {
      const child = await this.api.call<{ parent: { run_id: string } | null }>({ path, signal: this.signal });
      if (child.parent?.run_id !== this.run.runId) return;
      await this.api.call({ path: `${path}/cancel`, body: { reason: LOST_RACE }, signal: this.signal });
    } catch (error) {
      if (!isRefused(error, 'RUN_NOT_FOUND') && !isRefused(error, 'RUN_FINISHED')) throw error;
    }
  }

  async suspend({ at: until, status, arrivals }: Wait): Promise<boolean> {
    const body = { until: instant(until), status, arrivals };
    return (await this.#post<{ suspended: boolean }>('/suspend', body)).suspended;
  }

  async completeRun(output: string | undefined): Promise<void> {
    try {
      await this.#post('/complete', { output: jsonOf(output) });
    } catch (error) {
      if (!isRefused(error, 'PAYLOAD_TOO_LARGE')) throw error;
      await this.failRun(tooLarge(error), { final: true, retryAfterMs: undefined });
    }
  }

  async failRun(
    error: Failure,
    options: { readonly final: boolean; readonly retryAfterMs: number | undefined },
  ): Promise<number | null> {
    const told = toWireError(options.final ? { ...error, nonRetryable: true } : error, options.retryAfterMs);
    const { next_retry_at } = await this.#post<{ next_retry_at: string | null }>('/fail', { error: told });
    return next_retry_at === null ? null : Date.parse(next_retry_at);
  }

  async cancelRun(reason: string | null): Promise<void> {
    await this.#post('/cancelled', { reason: reason ?? undefined });
  }

  async release(): Promise<void> {
    await this.#post('/release', {});
  }

  #step<T>(call: string, { key }: StepPlace, body: Readonly<Record<string, unknown>>): Promise<T> {
    return this.#post<T>(`/steps/${call}`, { step_id: key, ...body });
  }

  #post<T>(path: string, body: Readonly<Record<string, unknown>>): Promise<T> {
    return this.#call<T>({ path: this.#path + path, body: { lease: this.#lease, ...body } });
  }

  #call<T>(call: {
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  }): Promise<T> {
    return lostQuietly(this.api.call<T>({ ...call, signal: this.signal }));
  }
}

const placeOf = ({ position, seen, slept, base }: StepPlace) => ({ position, seen, slept, base });
const at = (place: StepPlace) => ({
  ...placeOf(place),
  kind: place.kind,
  parallel_group_id: place.parallelGroup ?? undefined,
});

const toWireError = (error: Failure, retryAfterMs: number | undefined) => ({
  code: error.code === '' ? undefined : error.code,
  message: error.message,
  non_retryable: error.nonRetryable,
  retry_after_ms: retryAfterMs === undefined ? undefined : Math.min(Math.round(retryAfterMs), MAX_DURATION_MS),
  stack: error.stack ?? undefined,
  details: jsonOf(error.details ?? undefined),
});

const tooLarge = (error: unknown): Failure =>
  toFailure(new NonRetryableError((error as ApiError).message, { code: 'PAYLOAD_TOO_LARGE' }), true);

async function lostQuietly<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const lost = error instanceof ApiError && LOST.has(error.code);
    throw lost ? new RunLostError(error.message, { cause: error }) : error;
  }
}
