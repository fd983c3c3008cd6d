import { durationMs } from '../../shared/model/duration.ts';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import { Stop } from '../../shared/model/stop.ts';
import type { StepBody, StepOptions } from '../context.ts';
import { isRetryable, type RetryIf } from '../error-kind.ts';
import { RetryAfterError, StepInterruptedError } from '../errors.ts';
import { retryPolicyOf } from '../retry.ts';
import { decodeValue } from '../values.ts';
import { type Attempted, attemptBody } from './attempt-body.ts';
import type { Asked, Execution } from './execution.ts';
import { fromFailure, toFailure } from './failures.ts';
import type { Outcome, RecordedStep, StepPlace } from './journal.ts';
import type { Operation, Settle, Waiting } from './operation.ts';

interface Step {
  readonly id: string;
  readonly body: StepBody<unknown>;
  readonly options: StepOptions;
}

/** What was said of the step when it was asked for: options that the code changes afterwards say nothing about it. */
interface Terms {
  readonly timeoutMs: number | null;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly retryIf: RetryIf | undefined;
  readonly atMostOnce: boolean;
}

const START: Waiting = { for: 'start' };
/** Most steps are asked for without any. */
export const NO_OPTIONS: StepOptions = {};
const NO_TERMS: Terms = { timeoutMs: null, retryPolicy: undefined, retryIf: undefined, atMostOnce: false };

const termsOf = ({ timeout, retry, retryIf, atMostOnce }: StepOptions): Terms => ({
  timeoutMs: timeout === undefined ? null : durationMs(timeout),
  retryPolicy: retryPolicyOf(retry),
  retryIf,
  atMostOnce: atMostOnce === true,
});

/** A body, from its first attempt to what is recorded of it. One that answers at once makes no promise but the record's. */
export class StepOperation implements Operation {
  readonly kind = 'FUNCTION';
  readonly place: StepPlace;
  readonly recorded: RecordedStep | undefined;
  readonly stopping = new Stop();
  readonly id: string;
  readonly body: StepBody<unknown>;
  readonly terms: Terms;
  waiting: Waiting;

  constructor(
    private readonly execution: Execution,
    { place, recorded }: Asked,
    private readonly to: Settle,
    { id, body, options }: Step,
  ) {
    this.id = id;
    this.body = body;
    this.terms = options === NO_OPTIONS ? NO_TERMS : termsOf(options);
    this.place = place;
    this.recorded = recorded;
    this.waiting =
      recorded?.state.status === 'PENDING'
        ? { for: 'time', until: recorded.state.nextRetryAt, attempt: recorded.attempt }
        : START;
  }

  work(attempt: number): Promise<void> {
    const visible = this.terms.atMostOnce;
    if (visible && this.recorded?.state.status === 'RUNNING') return this.#interrupted(attempt);
    const beginning = this.execution.parts.journal.begin(this.place, { attempt, visible });
    return beginning === null ? this.#begun(attempt, null) : beginning.then((begun) => this.#begun(attempt, begun));
  }

  settle(outcome: Outcome): void {
    if (outcome.status === 'COMPLETED') this.to.resolve(decodeValue(outcome.output));
    else this.to.reject(fromFailure(outcome.error, this.place.key, this.execution.parts.workflow.errors));
  }

  reject(error: Error): void {
    this.to.reject(error);
  }

  #begun(attempt: number, begun: RecordedStep | null): Promise<void> {
    // While it was begun a race was decided, or the run has ended.
    if (this.#isStopped) return Promise.resolve();
    return begun === null ? this.#attempt(attempt) : this.#adopt(begun);
  }

  #attempt(attempt: number): Promise<void> {
    const { execution, place, stopping, id, body } = this;
    const { timeoutMs } = this.terms;
    const startedAt = execution.parts.clock.now();
    const answer = attemptBody(execution, { id, place, body, timeoutMs, stopping, attempt, startedAt });
    return answer instanceof Promise
      ? answer.then((attempted) => this.#attempted(attempt, startedAt, attempted))
      : this.#attempted(attempt, startedAt, answer);
  }

  #attempted(attempt: number, startedAt: number, attempted: Attempted): Promise<void> {
    // Aborted with the run, or by a race that is decided: its outcome is of no interest, and nothing is recorded.
    if (this.#isStopped) return Promise.resolve();
    if ('error' in attempted) return this.#failed(attempt, startedAt, attempted.error);
    const { output } = attempted;
    const { journal } = this.execution.parts;
    return this.execution.record(this, (order) => journal.complete(this.place, { output, order, attempt, startedAt }));
  }

  get #isStopped(): boolean {
    return this.stopping.isTold || this.execution.stopping.isTold;
  }

  /** Somebody recorded something since the history was read. */
  async #adopt(step: RecordedStep): Promise<void> {
    if (step.state.status === 'PENDING') return this.#waitUntil(step.state.nextRetryAt, step.attempt);
    // Another's start, which a step that may run at most once does not take over.
    if (step.state.status === 'RUNNING') return this.#interrupted(step.attempt);
    return this.execution.record(this, () => Promise.resolve(step));
  }

  #interrupted(attempt: number): Promise<void> {
    const now = this.execution.parts.clock.now();
    return this.#failed(attempt, now, new StepInterruptedError(this.place.key));
  }

  async #failed(attempt: number, startedAt: number, error: unknown): Promise<void> {
    const { atMostOnce, retryIf, retryPolicy } = this.terms;
    const { journal, clock } = this.execution.parts;
    const retryable = !atMostOnce && isRetryable(error, retryIf);
    const write = (order?: number): Promise<RecordedStep> =>
      journal.fail(this.place, {
        error: toFailure(error, !retryable),
        retryAfterMs: retryAfterMs(error, clock.now()),
        retryPolicy,
        order,
        attempt,
        startedAt,
      });
    if (!retryable) {
      await this.execution.record(this, async (order) => {
        const failed = await write(order);
        this.#tellFailure(failed, attempt, error);
        return failed;
      });
      return;
    }
    // Whether there is another attempt is decided where it is recorded.
    const step = await write();
    this.#tellFailure(step, attempt, error);
    if (step.state.status === 'PENDING') this.#waitUntil(step.state.nextRetryAt, step.attempt);
    else await this.execution.record(this, () => Promise.resolve(step));
  }

  #tellFailure({ state }: RecordedStep, attempt: number, error: unknown): void {
    const { tellError, parts } = this.execution;
    const fields = { step_id: this.place.key, attempt, ...tellError(error) };
    if (state.status === 'FAILED') parts.log('warn', 'a step failed', fields);
    if (state.status !== 'PENDING') return;
    parts.log('warn', 'a step failed; it is tried again', {
      ...fields,
      next_attempt_at: new Date(state.nextRetryAt).toISOString(),
    });
  }

  #waitUntil(until: number, attempt: number): void {
    this.waiting = { for: 'time', until, attempt };
  }
}

function retryAfterMs(error: unknown, now: number): number | undefined {
  if (!(error instanceof RetryAfterError)) return undefined;
  return error.retryAfter instanceof Date ? Math.max(0, error.retryAfter.getTime() - now) : error.retryAfter;
}
