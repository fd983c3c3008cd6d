import type { RunId } from '../../shared/model/run.ts';

/** Something that must never happen did. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export type RunKey = RunId & { readonly incarnation: string };
const keyOf = (run: RunKey, stepId: string): string => `${run.runId}/${run.incarnation}/${stepId}`;

/** What the outside world has seen: bodies that ran, results that were acknowledged, replies to starts. */
export class Ledger {
  readonly #bodies = new Map<string, number>();
  readonly #acknowledged = new Map<string, string | undefined>();
  readonly #wakes = new Map<string, number>();
  readonly #started = new Map<string, string>();
  /** Runs taken from an owner that stood still, and came back. */
  overtaken = 0;
  /** Times a worker that never stood still was told that its run is another's. */
  lost = 0;

  /** Answers which execution of the body this is. */
  bodyStarts(run: RunKey, stepId: string): number {
    const key = keyOf(run, stepId);
    if (this.#acknowledged.has(key))
      throw new Violation(`the body of ${key} started after its result was acknowledged`);
    const execution = (this.#bodies.get(key) ?? 0) + 1;
    this.#bodies.set(key, execution);
    return execution;
  }

  /** A result the run goes on with: the same for ever. */
  acknowledged(run: RunKey, stepId: string, output: string | undefined): void {
    const key = keyOf(run, stepId);
    if (this.#acknowledged.has(key) && this.#acknowledged.get(key) !== output) {
      throw new Violation(`the result of ${key} was ${this.#acknowledged.get(key)} and is ${output}`);
    }
    this.#acknowledged.set(key, output);
  }

  acknowledgedOf(run: RunKey): ReadonlyMap<string, string | undefined> {
    const prefix = keyOf(run, '');
    const own = [...this.#acknowledged].filter(([key]) => key.startsWith(prefix));
    return new Map(own.map(([key, output]) => [key.slice(prefix.length), output]));
  }

  wakesAt(run: RunKey, stepId: string, at: number): void {
    const key = keyOf(run, stepId);
    const before = this.#wakes.get(key);
    if (before !== undefined && before !== at) throw new Violation(`the wake time of ${key} moved`);
    this.#wakes.set(key, at);
  }

  awake(run: RunKey, stepId: string, now: number): void {
    const at = this.#wakes.get(keyOf(run, stepId));
    if (at !== undefined && at > now) throw new Violation(`${stepId} ended ${at - now} ms early`);
  }

  /** All replies to one request name one run. */
  startAnswered(request: string, run: RunKey): void {
    const named = `${run.runId}/${run.incarnation}`;
    const before = this.#started.get(request) ?? named;
    if (before !== named) throw new Violation(`start "${request}" was answered with two runs`);
    this.#started.set(request, named);
  }
}
