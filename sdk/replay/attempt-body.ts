import { idempotencyKey } from '../../shared/model/ids.ts';
import type { Stop } from '../../shared/model/stop.ts';
import type { StepBody, StepInfo, WorkflowLog } from '../context.ts';
import { StepTimeoutError } from '../errors.ts';
import { encodeValue } from '../values.ts';
import type { Execution } from './execution.ts';
import type { StepPlace } from './journal.ts';
import { withFields, workflowLog } from './log-sink.ts';
import { runBody } from './step-body.ts';

/** A start that takes longer than this is recorded, so that people can see it. */
const SHOW_AFTER_MS = 1_000;
/** Why the waits beside a body end with it: an error would be made, with its stack, for nobody. */
const BODY_ENDED = Symbol('the body has ended');

export interface Attempt {
  readonly id: string;
  readonly place: StepPlace;
  readonly body: StepBody<unknown>;
  readonly timeoutMs: number | null;
  /** Told when the outcome is of no more interest. */
  readonly stopping: Stop;
  readonly attempt: number;
  readonly startedAt: number;
}

export type Attempted = { readonly output: string | undefined } | { readonly error: unknown };

/** Runs a body once. One that answers at once has nothing beside it: no timer, no signal, no promise. */
export function attemptBody(execution: Execution, attempt: Attempt): Attempted | Promise<Attempted> {
  const { id, place } = attempt;
  const body = execution.parts.stub?.(id) ?? attempt.body;
  const signal = new LazySignal();
  try {
    const info = new Info(execution, place.key, attempt.attempt, signal);
    const answer = runBody(execution.watch, place.key, () => body(info));
    return isThenable(answer) ? besideWaits(execution, attempt, signal, answer) : encoded(id, answer);
  } catch (error) {
    return { error };
  }
}

/** Most bodies use some of it at most: a hash or a signal is made when it is asked for. */
class Info implements StepInfo {
  readonly #execution: Execution;
  readonly #key: string;
  readonly #lazy: LazySignal;

  constructor(
    execution: Execution,
    key: string,
    readonly attempt: number,
    lazy: LazySignal,
  ) {
    this.#execution = execution;
    this.#key = key;
    this.#lazy = lazy;
  }

  get traceparent(): string | null {
    return this.#execution.parts.traceparent ?? null;
  }

  get idempotencyKey(): string {
    const { run, incarnation } = this.#execution.parts.journal;
    return idempotencyKey(run.runId, incarnation, this.#key);
  }

  get signal(): AbortSignal {
    return this.#lazy.signal;
  }

  get log(): WorkflowLog {
    return workflowLog(withFields(this.#execution.parts.log, { step_id: this.#key, attempt: this.attempt }));
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';

function encoded(id: string, value: unknown): Attempted {
  try {
    return { output: encodeValue(value, `output of step "${id}"`) };
  } catch (error) {
    return { error };
  }
}

/** Until the body answers, its time is up, or nobody is interested any more. */
function besideWaits(
  execution: Execution,
  { id, place, timeoutMs, stopping, attempt, startedAt }: Attempt,
  signal: LazySignal,
  answer: PromiseLike<unknown>,
): Promise<Attempted> {
  const { clock, journal } = execution.parts;
  return new Promise((resolve) => {
    const done = new AbortController();
    const end = (attempted: Attempted): void => {
      stopping.unlisten(stop);
      execution.stopping.unlisten(stop);
      done.abort(BODY_ENDED);
      resolve(attempted);
    };
    const stop = (error: unknown): void => {
      signal.abort(error);
      end({ error });
    };
    stopping.listen(stop);
    execution.stopping.listen(stop);
    const after = (ms: number, then: () => void): void => {
      clock.sleep(ms, done.signal).then(
        () => done.signal.aborted || then(),
        () => undefined,
      );
    };
    if (timeoutMs !== null) after(timeoutMs, () => stop(new StepTimeoutError(place.key, timeoutMs)));
    after(SHOW_AFTER_MS, () => {
      journal.showStart(place, { attempt, startedAt }).catch((error: unknown) => execution.break(error));
    });
    Promise.resolve(answer).then(
      (value) => end(encoded(id, value)),
      (error: unknown) => end({ error }),
    );
  });
}

/** The signal that a body gets: made when it is looked at, aborted as well if that comes first. */
class LazySignal {
  #controller: AbortController | null = null;
  #aborted: { readonly reason: unknown } | null = null;

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#aborted !== null) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}
