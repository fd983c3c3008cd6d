import type { Told } from '../../shared/model/trace.ts';
import { NonDeterminismError } from '../errors.ts';
import type { RecordedStep } from './journal.ts';
import { type Lineage, lineageOf, type RecordedAsk, type ToldOutcome } from './lineage.ts';

interface Recorded {
  readonly byKey: ReadonlyMap<string, RecordedStep>;
  readonly lineage: Lineage;
  readonly told: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
}

function recordedIn(steps: readonly RecordedStep[]): Recorded {
  const lineage = lineageOf(steps);
  return {
    byKey: new Map(steps.map((step) => [step.key, step])),
    lineage,
    told: new Set(lineage.told.map(({ key }) => key)),
    asked: new Set(lineage.asks.map(({ key }) => key)),
  };
}

/** What most runs find: one for all of them. */
const NOTHING = recordedIn([]);

/** What is recorded: each step by its key, and what the code asked for and was told before, in this order. */
export class History {
  readonly #recorded: Recorded;
  #next = 0;

  constructor(steps: readonly RecordedStep[]) {
    this.#recorded = steps.length === 0 ? NOTHING : recordedIn(steps);
  }

  get base(): Told {
    return this.#recorded.lineage.base;
  }

  /** How many outcomes the code was told of. */
  get told(): number {
    return this.#recorded.lineage.told.length;
  }

  /** How many sleeps ended that it waited for alone, as far as that is known. */
  get slept(): number {
    return this.#recorded.lineage.slept;
  }

  /** What the code was told of after so many outcomes. */
  after(told: number): ToldOutcome | undefined {
    return this.#recorded.lineage.told[told];
  }

  wasTold(key: string): boolean {
    return this.#recorded.told.has(key);
  }

  /** Whether it is known where the code asked for it. */
  isPlaced(key: string): boolean {
    return this.#recorded.asked.has(key);
  }

  /** The first thing the code asked for at this position or later. Positions only grow. */
  askFrom(position: number): RecordedAsk | undefined {
    const { asks } = this.#recorded.lineage;
    for (; this.#next < asks.length; this.#next++) {
      const ask = asks[this.#next] as RecordedAsk;
      if (ask.position >= position) return ask;
    }
    return undefined;
  }

  /** What the code asked for before, as far as it has not come to it. */
  *left(told: number): Iterable<string> {
    for (const { key } of this.#recorded.lineage.asks.slice(this.#next)) yield key;
    for (const { key, asks } of this.#recorded.lineage.told.slice(told)) if (asks === null) yield key;
  }

  get(key: string): RecordedStep | undefined {
    return this.#recorded.byKey.get(key);
  }

  /** Refuses code that goes another way than the record. */
  refuse(key: string, code: string): never {
    const step = this.#recorded.byKey.get(key);
    const position = this.#recorded.lineage.asks.find((ask) => ask.key === key)?.position;
    throw mismatch(`The history goes on with ${shown(step?.kind ?? 'FUNCTION', key, position)}`, code);
  }
}

export const shown = (kind: string, key: string, position?: number): string =>
  `${kind} "${key}"${position === undefined ? '' : ` at position ${position}`}`;

export const mismatch = (history: string, code: string): NonDeterminismError =>
  new NonDeterminismError(
    `${history}, but ${code}. The code has changed since the run began, or it is not deterministic: give the change a new version, or bring the old code back.`,
  );

/** What somebody recorded under a key is what the code asks for there. */
export function requireKind(recorded: RecordedStep, kind: RecordedStep['kind']): void {
  if (recorded.kind === kind) return;
  const position = recorded.traces.at(-1)?.position ?? undefined;
  throw mismatch(
    `The history has ${shown(recorded.kind, recorded.key, position)}`,
    `the code asks for ${shown(kind, recorded.key, position)}`,
  );
}
