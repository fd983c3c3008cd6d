import { NonDeterminismError } from '../errors.ts';
import type { RecordedStep } from './journal.ts';

interface Asked {
  readonly kind: RecordedStep['kind'];
  readonly key: string;
  readonly position: number;
}

const show = (what: string, kind: string, key: string, position: number | null): string =>
  `${what} ${kind} "${key}"${position === null ? '' : ` at position ${position}`}`;

/** What is recorded, by key and by position, and which outcomes the code has yet to see, in the order it saw them before. */
export class History {
  readonly #byKey = new Map<string, RecordedStep>();
  readonly #byPosition = new Map<number, RecordedStep>();
  readonly #unseen = new Map<string, number>();
  #lastOrder = 0;
  #lastPosition = -1;

  constructor(steps: readonly RecordedStep[]) {
    for (const step of steps) {
      this.#byKey.set(step.key, step);
      this.#lastOrder = Math.max(this.#lastOrder, step.order ?? 0);
      if (step.position === null) continue;
      this.#lastPosition = Math.max(this.#lastPosition, step.position);
      // A worker that had lost the run may have gone another way for a moment: the later owner's word counts.
      const other = this.#byPosition.get(step.position);
      if (other === undefined || other.epoch < step.epoch) this.#byPosition.set(step.position, step);
    }
    for (const step of steps) this.#expect(step);
  }

  /** An outcome whose worker did not say when it was seen comes after all others, by its time. */
  #expect({ key, order, state }: RecordedStep): void {
    const decided = state.status === 'COMPLETED' || state.status === 'FAILED';
    if (order !== null) this.#unseen.set(key, order);
    else if (decided) this.#unseen.set(key, this.#lastOrder + state.finishedAt / 1e15);
  }

  get lastOrder(): number {
    return this.#lastOrder;
  }

  /** The last thing that the code asked for before, as far as it is recorded. */
  get lastPosition(): number {
    return this.#lastPosition;
  }

  /** Whether outcomes are left that the code has not seen again. */
  get isReplaying(): boolean {
    return this.#unseen.size > 0;
  }

  get(key: string): RecordedStep | undefined {
    return this.#byKey.get(key);
  }

  orderOf(key: string): number | null {
    return this.#unseen.get(key) ?? null;
  }

  /** It was delivered, or nobody waits for it any more. */
  saw(key: string): void {
    this.#unseen.delete(key);
  }

  /** Throws if the record says that something else was asked for here. */
  check(asked: Asked): RecordedStep | undefined {
    const recorded = this.#byKey.get(asked.key);
    const there = this.#byPosition.get(asked.position);
    const misplaced = recorded !== undefined && recorded.position !== null && recorded.position !== asked.position;
    const other = there !== undefined && there.key !== asked.key ? there : misplaced ? recorded : undefined;
    const conflict = other ?? (recorded !== undefined && recorded.kind !== asked.kind ? recorded : undefined);
    if (conflict === undefined) return recorded;
    throw mismatch(
      show('The history has', conflict.kind, conflict.key, conflict.position),
      show('the code asks for', asked.kind, asked.key, asked.position),
    );
  }

  /** The code waits, or has ended, and the record has outcomes that it never asked for. */
  refuseUnseen(what: string): void {
    const [first] = [...this.#unseen].sort((a, b) => a[1] - b[1]);
    const step = first && this.#byKey.get(first[0]);
    if (step !== undefined) throw mismatch(show('The history goes on with', step.kind, step.key, step.position), what);
  }
}

const mismatch = (history: string, code: string): NonDeterminismError =>
  new NonDeterminismError(
    `${history}, but ${code}. The code has changed since the run began, or it is not deterministic: give the change a new version, or bring the old code back.`,
  );
