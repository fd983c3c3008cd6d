import { durationMs } from '../../shared/model/duration.ts';
import type { StepBody, StepOptions } from '../context.ts';
import { isRetryable } from '../error-kind.ts';
import { RetryAfterError, StepInterruptedError } from '../errors.ts';
import { retryPolicyOf } from '../retry.ts';
import { decodeValue } from '../values.ts';
import { attemptBody } from './attempt-body.ts';
import type { Asked, Execution } from './execution.ts';
import { fromFailure, toFailure } from './failures.ts';
import type { RecordedStep } from './journal.ts';
import type { Operation, Settle } from './operation.ts';
import { Stop } from './stop.ts';

interface Step {
  readonly id: string;
  readonly body: StepBody<unknown>;
  readonly options: StepOptions;
}

export function stepOperation(
  execution: Execution,
  asked: Asked,
  settle: Settle,
  { id, body, options }: Step,
): Operation {
  const { place, recorded } = asked;
  const { journal, clock, log } = execution.parts;
  const retryPolicy = retryPolicyOf(options.retry);
  const timeoutMs = options.timeout === undefined ? null : durationMs(options.timeout);

  const work = async (attempt: number): Promise<void> => {
    if (options.atMostOnce === true && recorded?.state.status === 'RUNNING') {
      return fail(attempt, clock.now(), new StepInterruptedError(place.key));
    }
    const beginning = journal.begin(place, { attempt, visible: options.atMostOnce === true });
    const begun = beginning === null ? null : await beginning;
    // While it was begun a race was decided, or the run has ended.
    if (isStopped()) return;
    if (begun !== null) return adopt(begun);
    const startedAt = clock.now();
    const { stopping } = operation;
    const answer = attemptBody(execution, { id, place, body, timeoutMs, stopping, attempt, startedAt });
    const attempted = answer instanceof Promise ? await answer : answer;
    // Aborted with the run, or by a race that is decided: its outcome is of no interest, and nothing is recorded.
    if (isStopped()) return;
    if ('error' in attempted) return fail(attempt, startedAt, attempted.error);
    const { output } = attempted;
    await execution.record(operation, (order) => journal.complete(place, { output, order, attempt, startedAt }));
  };

  const isStopped = (): boolean => operation.stopping.isTold || execution.stopping.isTold;

  /** Somebody recorded something since the history was read. */
  const adopt = async (step: RecordedStep): Promise<void> => {
    if (step.state.status === 'PENDING') return waitUntil(step.state.nextRetryAt, step.attempt);
    // Another's start, which a step that may run at most once does not take over.
    if (step.state.status === 'RUNNING') return fail(step.attempt, clock.now(), new StepInterruptedError(place.key));
    await execution.record(operation, () => Promise.resolve(step));
  };

  const fail = async (attempt: number, startedAt: number, error: unknown): Promise<void> => {
    const retryable = options.atMostOnce !== true && isRetryable(error, options.retryIf);
    const write = (order?: number): Promise<RecordedStep> =>
      journal.fail(place, {
        error: toFailure(error, !retryable),
        retryAfterMs: retryAfterMs(error, clock.now()),
        retryPolicy,
        order,
        attempt,
        startedAt,
      });
    if (!retryable) {
      await execution.record(operation, async (order) => {
        const failed = await write(order);
        tellFailure(failed, attempt, error);
        return failed;
      });
      return;
    }
    // Whether there is another attempt is decided where it is recorded.
    const step = await write();
    tellFailure(step, attempt, error);
    if (step.state.status === 'PENDING') waitUntil(step.state.nextRetryAt, step.attempt);
    else await execution.record(operation, () => Promise.resolve(step));
  };

  const tellFailure = ({ state }: RecordedStep, attempt: number, error: unknown): void => {
    const fields = { step_id: place.key, attempt, ...execution.tellError(error) };
    if (state.status === 'FAILED') log('warn', 'a step failed', fields);
    if (state.status !== 'PENDING') return;
    log('warn', 'a step failed; it is tried again', {
      ...fields,
      next_attempt_at: new Date(state.nextRetryAt).toISOString(),
    });
  };

  const waitUntil = (until: number, attempt: number): void => {
    operation.waiting = { for: 'time', until, attempt };
  };

  const operation: Operation = {
    kind: 'FUNCTION',
    place,
    recorded,
    stopping: new Stop(),
    waiting:
      recorded?.state.status === 'PENDING'
        ? { for: 'time', until: recorded.state.nextRetryAt, attempt: recorded.attempt }
        : { for: 'start' },
    work,
    settle(outcome) {
      if (outcome.status === 'COMPLETED') settle.resolve(decodeValue(outcome.output));
      else settle.reject(fromFailure(outcome.error, place.key, execution.parts.workflow.errors));
    },
    reject: settle.reject,
  };
  return operation;
}

function retryAfterMs(error: unknown, now: number): number | undefined {
  if (!(error instanceof RetryAfterError)) return undefined;
  return error.retryAfter instanceof Date ? Math.max(0, error.retryAfter.getTime() - now) : error.retryAfter;
}
