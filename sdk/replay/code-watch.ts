import { InvalidArgumentError } from '../check-options.ts';
import { CancelledError } from '../errors.ts';
import { type Handed, HandedOut, type Watcher } from './handed-out.ts';
import type { LogSink } from './log-sink.ts';
import { enclosingStep } from './step-body.ts';
import { noteOrigin } from './stray-errors.ts';
import type { TellError } from './tell-error.ts';

/** Looks after the author's code: from where it may call its context, and what it was given and never looked at. */
export class CodeWatch implements Watcher {
  #strays: Map<Handed, { readonly what: string; readonly error: unknown }> | null = null;
  #hasEnded = false;

  constructor(
    private readonly log: LogSink,
    private readonly tellError: TellError,
  ) {}

  /** The workflow function has returned or thrown. One that was put down has not: it just waits for ever. */
  ended(): void {
    this.#hasEnded = true;
  }

  /** Runs a call of the context, unless it is made from where nothing may be asked for. */
  call<T>(what: string, make: () => T): T {
    try {
      this.#requireOpen(what);
      return make();
    } catch (error) {
      this.#claim(what, error);
      throw error;
    }
  }

  /** A promise for the code. An error in it that nobody looks at is told in the log, and ends nothing. */
  handOut<T>(what: string, promise: Promise<T>): Promise<T> {
    return HandedOut.from(promise, what, this);
  }

  failed(what: string, error: unknown, promise: Handed): void {
    this.#claim(what, error);
    if (promise.isLookedAt) return;
    this.#strays ??= new Map();
    this.#strays.set(promise, { what, error });
  }

  /** Failures that the code never looked at, once it has come to its end. */
  tellStrays(): void {
    if (!this.#hasEnded) return;
    for (const [promise, { what, error }] of this.#strays ?? []) {
      if (promise.isLookedAt || error instanceof CancelledError) continue;
      this.log('warn', `${what} failed and nobody awaited it`, this.tellError(error));
    }
  }

  #requireOpen(what: string): void {
    const step = enclosingStep(this);
    if (step !== null) {
      const why = 'bodies are not run again on replay, so only the workflow function itself can ask for something';
      throw new InvalidArgumentError(`${what} was called inside the body of step "${step}": ${why}`);
    }
    if (this.#hasEnded) throw new InvalidArgumentError(`${what} was called after the workflow function had ended`);
  }

  #claim(what: string, error: unknown): void {
    noteOrigin(error, { what, log: this.log, tellError: this.tellError });
  }
}
