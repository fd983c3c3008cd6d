import { type Duration, durationMs } from '../../shared/model/duration.ts';
import { RUN_CLASSES, RUN_STATUSES } from '../../shared/model/run.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import {
  type Checks,
  checkOptions,
  InvalidArgumentError,
  isDuration,
  isExternalId,
  isName,
  isOneOf,
  isText,
  isTime,
  refuse,
  shown,
} from '../check-options.ts';
import type { AnyWorkflow, InputOf, OutputOf } from '../context.ts';
import { requireWorkflow } from '../define-workflow.ts';
import { CancelledError, RunFailedError } from '../errors.ts';
import type { ExportedRun } from '../exported-run.ts';
import { thisHost } from '../host.ts';
import { isRetry, type Retry, retryPolicyOf } from '../retry.ts';
import { decodeValue, encodeValue } from '../values.ts';
import { type ClientRun, type ClientStep, isOwnStep, showRun, showStep, thrownError } from './client-run.ts';
import { requireInput } from './require-input.ts';
import { ScheduleHandle, Schedules } from './schedules.ts';
import type { RunFilter, RunRecord, Transport } from './transport.ts';

export interface StartOptions {
  /** The same id always means the same run, until its retention ends. */
  readonly externalId?: string;
  readonly taskQueue?: string;
  readonly version?: string;
  readonly retry?: Retry;
  readonly delay?: Duration;
  readonly startAt?: Date;
}

/** The input may be left out where the workflow takes none. */
export type StartArguments<W> =
  undefined extends InputOf<W>
    ? [input?: InputOf<W>, options?: StartOptions]
    : [input: InputOf<W>, options?: StartOptions];

export interface CancelOptions {
  readonly reason?: string;
  /** Time for the workflow to clean up; without it the run ends at once. */
  readonly grace?: Duration;
}

export interface ResultOptions {
  /** Rejects after this long, or a second later if the engine does not answer; the run goes on. Waits for ever if not given. */
  readonly timeout?: Duration;
}

/** One long poll. */
const WAIT_MS = 20_000;
/** An answer that is due when the time is up is waited for so much longer: it says what has become of the run. */
const SLACK_MS = 1_000;

const START: Checks<StartOptions> = {
  externalId: isExternalId,
  taskQueue: isName('taskQueue'),
  version: isName('version'),
  retry: isRetry,
  delay: isDuration,
  startAt: isTime,
};
const CANCEL: Checks<CancelOptions> = { reason: isText, grace: isDuration };
const RESULT: Checks<ResultOptions> = { timeout: isDuration };
const FILTER: Checks<RunFilter> = {
  class: isOneOf(RUN_CLASSES),
  status: isOneOf(RUN_STATUSES),
  workflowType: isName('workflowType'),
  version: isName('version'),
  taskQueue: isName('taskQueue'),
  externalId: isExternalId,
  scheduleId: isName('scheduleId'),
  createdAfter: isTime,
  createdBefore: isTime,
};
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Thrown by `result` when its own time is up. */
export class ResultTimeoutError extends Error {
  override readonly name = 'ResultTimeoutError';
  readonly code = 'RESULT_TIMEOUT';
}

/** A run that was started, or found. */
export class RunHandle<Output> {
  constructor(
    private readonly transport: Transport,
    readonly runId: string,
    /** Whether the external id meant a run that was there before. */
    readonly alreadyExists: boolean = false,
    private readonly clock: Clock = thisHost.clock,
  ) {}

  /** Waits for the end; throws RunFailedError or CancelledError if it is no success. */
  async result(options: ResultOptions = {}): Promise<Output> {
    checkOptions('result', options, RESULT);
    const timeoutMs = options.timeout === undefined ? Number.POSITIVE_INFINITY : durationMs(options.timeout);
    const deadline = this.clock.monotonic() + timeoutMs;
    for (;;) {
      const run = await this.#look(deadline);
      if (run.status === 'COMPLETED') return decodeValue(run.output) as Output;
      if (run.status === 'FAILED') throw failed(run);
      if (run.status === 'CANCELLED') throw new CancelledError(`The run ${run.runId} was cancelled.`, run.cancelReason);
      if (this.clock.monotonic() >= deadline) {
        throw new ResultTimeoutError(`The run ${run.runId} is still ${run.status}.`);
      }
    }
  }

  async #look(deadline: number): Promise<RunRecord> {
    const left = Math.max(0, deadline - this.clock.monotonic());
    try {
      return await this.transport.get(this.runId, Math.min(WAIT_MS, left), left + SLACK_MS);
    } catch (cause) {
      if (this.clock.monotonic() < deadline) throw cause;
      throw new ResultTimeoutError(`What has become of the run ${this.runId} could not be learned in time.`, { cause });
    }
  }

  async status(): Promise<ClientRun['status']> {
    return (await this.get()).status;
  }

  async get(): Promise<ClientRun<Output>> {
    return showRun(await this.transport.get(this.runId, 0));
  }

  async cancel(options: CancelOptions = {}): Promise<void> {
    checkOptions('cancel', options, CANCEL);
    const { reason, grace } = options;
    const graceMs = grace === undefined ? null : durationMs(grace);
    await this.transport.cancel(this.runId, { reason: reason ?? null, graceMs });
  }

  /** In the order in which they were first recorded. */
  async steps(): Promise<ClientStep[]> {
    const all: ClientStep[] = [];
    let token: string | undefined;
    do {
      const page = await this.transport.steps(this.runId, token);
      all.push(...page.items.filter(isOwnStep).map(showStep));
      token = page.nextPageToken ?? undefined;
    } while (token !== undefined);
    return all.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  /** A finished run with its history, to keep and to `replay` against new code. */
  export(): Promise<ExportedRun> {
    return this.transport.export(this.runId);
  }
}

function failed({ runId, error }: RunRecord): RunFailedError {
  const cause = error === null ? undefined : thrownError(error);
  return new RunFailedError(error?.message ?? 'The run failed.', runId, {
    code: error?.code ?? 'RUN_FAILED',
    ...(cause === undefined ? {} : { cause }),
  });
}

export class Client {
  /** To make and to find schedules. */
  readonly schedules: Schedules;

  constructor(
    private readonly transport: Transport,
    private readonly clock: Clock = thisHost.clock,
  ) {
    this.schedules = new Schedules(transport.schedules);
  }

  /** Answers once the run is durable. */
  async start<W extends AnyWorkflow>(
    workflow: W,
    ...[input, options = {}]: StartArguments<W>
  ): Promise<RunHandle<OutputOf<W>>> {
    requireWorkflow('start', workflow);
    checkOptions(`start of "${workflow.type}"`, options, START);
    await requireInput(workflow, input);
    const { startAt, delay } = options;
    if (startAt !== undefined && delay !== undefined) throw new TypeError('Give either startAt or delay, not both.');
    if (Number.isNaN(startAt?.getTime())) throw new RangeError('startAt is no time: it is an invalid Date.');
    const { runId, alreadyExists } = await this.transport.start({
      workflowType: workflow.type,
      version: options.version ?? workflow.version,
      taskQueue: options.taskQueue ?? 'default',
      externalId: options.externalId,
      input: encodeValue(input, 'input'),
      retryPolicy: retryPolicyOf(options.retry ?? workflow.retry),
      startAt: startAt?.getTime(),
      delayMs: delay === undefined ? undefined : durationMs(delay),
    });
    return new RunHandle(this.transport, runId, alreadyExists, this.clock);
  }

  /** A handle to a run by its id; nothing is asked for yet. */
  run<Output = unknown>(runId: string): RunHandle<Output> {
    const id = typeof runId === 'string' ? runId.toLowerCase() : '';
    if (!RUN_ID.test(id))
      throw new InvalidArgumentError(`${shown(runId)} is no run id: it is a UUID, as start gave it`);
    return new RunHandle(this.transport, id, false, this.clock);
  }

  /** A handle to a schedule by its id; nothing is asked for yet. */
  schedule(scheduleId: string): ScheduleHandle {
    refuse('schedule', () => isName('scheduleId')(scheduleId));
    return new ScheduleHandle(this.transport.schedules, scheduleId);
  }

  /** Newest first. */
  async *list(filter: RunFilter = {}): AsyncGenerator<ClientRun> {
    checkOptions('list', filter, FILTER);
    let token: string | undefined;
    do {
      const page = await this.transport.list(filter, token);
      for (const run of page.items) yield showRun(run);
      token = page.nextPageToken ?? undefined;
    } while (token !== undefined);
  }
}
