/** What was used up to a moment, or between two. */
export interface Usage {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly transactions: number;
  readonly indexQueries: number;
  readonly queueCalls: number;
  readonly timerCalls: number;
  readonly roundTrips: number;
}

export const NOTHING: Usage = {
  writeUnits: 0,
  readUnits: 0,
  transactions: 0,
  indexQueries: 0,
  queueCalls: 0,
  timerCalls: 0,
  roundTrips: 0,
};

const combine = (a: Usage, b: Usage, sign: 1 | -1): Usage => ({
  writeUnits: a.writeUnits + sign * b.writeUnits,
  readUnits: a.readUnits + sign * b.readUnits,
  transactions: a.transactions + sign * b.transactions,
  indexQueries: a.indexQueries + sign * b.indexQueries,
  queueCalls: a.queueCalls + sign * b.queueCalls,
  timerCalls: a.timerCalls + sign * b.timerCalls,
  roundTrips: a.roundTrips + sign * b.roundTrips,
});

export const minus = (a: Usage, b: Usage): Usage => combine(a, b, -1);
export const sum = (...usages: readonly Usage[]): Usage => usages.reduce((a, b) => combine(a, b, 1), NOTHING);
