import type { Usage } from './usage.ts';

export const SCENARIO_NAMES = [
  'fresh-run-10',
  'fresh-run-10-poll',
  'resumed-run-10',
  'sleep',
  'retried-step',
  'heartbeat-100',
  'unserved-hour',
  'schedule-fire',
  'idle-tick',
  'step-10-of-10000',
  'step-10000-of-10000',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** Sequential calls of ports. The ack after the finish is in the total only: nobody waits for it. */
export interface RoundTrips {
  readonly startToFirstBody?: number;
  readonly perStep?: number;
  readonly finish?: number;
  readonly total: number;
}

export interface Figures {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly transactions: number;
  /** Sends, receives, acks and releases; what a timer sends when it fires is no call of ours. */
  readonly queueCalls: number;
  readonly timerCalls?: number;
  readonly roundTrips: RoundTrips;
  /** Of a finished run, in table and indexes, with the 100 bytes that DynamoDB adds to each item. */
  readonly storedBytes?: number;
  readonly indexQueries?: number;
  readonly asleep?: number;
  /** The same with no run at all. */
  readonly noneAsleep?: Figures;
}

export type Scenarios = Readonly<Record<ScenarioName, Figures>>;
export interface CostReport {
  readonly engine: string;
  readonly scenarios: Scenarios;
}

export const toFigures = (usage: Usage, trips: Omit<RoundTrips, 'total'> = {}): Figures => ({
  writeUnits: usage.writeUnits,
  readUnits: usage.readUnits,
  transactions: usage.transactions,
  queueCalls: usage.queueCalls,
  ...(usage.timerCalls > 0 ? { timerCalls: usage.timerCalls } : {}),
  roundTrips: { ...trips, total: usage.roundTrips },
});

/** Every number by its path, like `roundTrips.total`. */
export function numbersOf(value: object, prefix = ''): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (typeof member === 'number') numbers.set(prefix + name, member);
    else if (typeof member === 'object' && member !== null)
      for (const [path, number] of numbersOf(member, `${prefix}${name}.`)) numbers.set(path, number);
  }
  return numbers;
}

/** One line for each figure that is not the same in both. */
export function differences(one: object, other: object, names: readonly [string, string]): string[] {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((path) => a.get(path) !== b.get(path))
    .map((path) => `${path} is ${a.get(path)} on ${names[0]}, but ${b.get(path)} on ${names[1]}`);
}
