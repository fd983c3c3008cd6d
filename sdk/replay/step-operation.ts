import { durationMs } from '../../shared/model/duration.ts';
import { idempotencyKey } from '../../shared/model/ids.ts';
import { linkSignals } from '../../shared/model/link-signals.ts';
import type { StepBody, StepInfo, StepOptions } from '../context.ts';
import { isRetryable } from '../error-kind.ts';
import { RetryAfterError, StepInterruptedError, StepTimeoutError } from '../errors.ts';
import { retryPolicyOf } from '../retry.ts';
import { decodeValue, encodeValue } from '../values.ts';
import type { Asked, Execution } from './execution.ts';
import { fromFailure, toFailure } from './failures.ts';
import type { RecordedStep } from './journal.ts';
import { withFields, workflowLog } from './log-sink.ts';
import type { Operation, Settle } from './operation.ts';
import { runBody } from './step-body.ts';

/** A start that takes longer than this is recorded, so that people can see it. */
const SHOW_AFTER_MS = 1_000;

interface Step {
  readonly id: string;
  readonly body: StepBody<unknown>;
  readonly options: StepOptions;
}

type Attempted = { readonly output: string | undefined } | { readonly error: unknown };

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
    const begun = await journal.begin(place, { attempt, visible: options.atMostOnce === true });
    if (begun !== null) return adopt(begun);
    const startedAt = clock.now();
    const attempted = await execute(attempt, startedAt);
    // Aborted with the run, or by a race that is decided: its outcome is of no interest, and nothing is recorded.
    if (isStopped()) return;
    if ('error' in attempted) return fail(attempt, startedAt, attempted.error);
    const { output } = attempted;
    await execution.record(operation, (order) => journal.complete(place, { output, order, attempt, startedAt }));
  };

  const isStopped = (): boolean =>
    operation.stopping.signal.aborted || execution.stopping.signal.aborted || execution.parts.signal.aborted;

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

  const execute = async (attempt: number, startedAt: number): Promise<Attempted> => {
    const timeout = new AbortController();
    const { signal, unlink } = linkSignals(
      operation.stopping.signal,
      execution.stopping.signal,
      execution.parts.signal,
      timeout.signal,
    );
    const info: StepInfo = {
      idempotencyKey: idempotencyKey(journal.run.runId, journal.incarnation, place.key),
      attempt,
      signal,
      log: workflowLog(withFields(log, { step_id: place.key, attempt })),
    };
    const done = new AbortController();
    try {
      const value = await Promise.race([
        Promise.resolve().then(() =>
          runBody(execution.watch, place.key, () => (execution.parts.stub?.(id) ?? body)(info)),
        ),
        timedOut(timeout, done.signal),
        aborted(signal),
        shown({ attempt, startedAt }, done.signal),
      ]);
      return { output: encodeValue(value, `output of step "${id}"`) };
    } catch (error) {
      return { error };
    } finally {
      unlink();
      done.abort();
    }
  };

  const timedOut = async (timeout: AbortController, done: AbortSignal): Promise<never> => {
    if (timeoutMs === null) return never();
    await clock.sleep(timeoutMs, done).catch(never);
    const error = new StepTimeoutError(place.key, timeoutMs);
    timeout.abort(error);
    throw error;
  };

  const shown = async (start: Parameters<typeof journal.showStart>[1], done: AbortSignal): Promise<never> => {
    await clock.sleep(SHOW_AFTER_MS, done).catch(never);
    await journal.showStart(place, start).catch((error: unknown) => execution.break(error));
    return never();
  };

  const operation: Operation = {
    kind: 'FUNCTION',
    place,
    recorded,
    stopping: new AbortController(),
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

const never = (): Promise<never> => new Promise(() => undefined);

/** Also when the time is up: then the reason is the timeout's error. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

function retryAfterMs(error: unknown, now: number): number | undefined {
  if (!(error instanceof RetryAfterError)) return undefined;
  return error.retryAfter instanceof Date ? Math.max(0, error.retryAfter.getTime() - now) : error.retryAfter;
}
