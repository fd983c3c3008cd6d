import { differences, numbersOf, type ScenarioName, type Scenarios } from './figures.ts';
import { dollarsPerMillionRuns } from './prices.ts';

interface Limit {
  readonly scenario: ScenarioName;
  readonly figure: string;
  readonly max: number;
}

/** The design's cost table. */
const LIMITS: readonly Limit[] = [
  { scenario: 'fresh-run-10', figure: 'writeUnits', max: 18 },
  { scenario: 'fresh-run-10', figure: 'readUnits', max: 1 },
  { scenario: 'fresh-run-10', figure: 'transactions', max: 0 },
  { scenario: 'fresh-run-10', figure: 'roundTrips.startToFirstBody', max: 4 },
  { scenario: 'fresh-run-10', figure: 'roundTrips.perStep', max: 1 },
  { scenario: 'fresh-run-10', figure: 'roundTrips.finish', max: 1 },
  { scenario: 'fresh-run-10-poll', figure: 'writeUnits', max: 29 },
  { scenario: 'sleep', figure: 'writeUnits', max: 7 },
  { scenario: 'heartbeat-100', figure: 'writeUnits', max: 2 },
  { scenario: 'unserved-hour', figure: 'writeUnits', max: 24 },
  { scenario: 'schedule-fire', figure: 'writeUnits', max: 8 },
  { scenario: 'idle-tick', figure: 'writeUnits', max: 0 },
  // One shard: the index query is all there is.
  { scenario: 'idle-tick', figure: 'indexQueries', max: 1 },
  { scenario: 'idle-tick', figure: 'roundTrips.total', max: 1 },
];
const MAX_DOLLARS_PER_MILLION_RUNS = 17;

export interface CheckedLimit {
  readonly what: string;
  readonly measured: number;
  readonly max: number;
  readonly kept: boolean;
}

export function checkLimits(scenarios: Scenarios): CheckedLimit[] {
  const checked = LIMITS.map(({ scenario, figure, max }) => {
    const measured = numbersOf(scenarios[scenario]).get(figure) ?? Number.NaN;
    return { what: `${scenario} ${figure}`, measured, max, kept: measured <= max };
  });
  const dollars = dollarsPerMillionRuns(scenarios['fresh-run-10']).total;
  const max = MAX_DOLLARS_PER_MILLION_RUNS;
  return [...checked, { what: 'dollars per million of fresh-run-10', measured: dollars, max, kept: dollars <= max }];
}

/** What must cost the same however much there is; one line for each figure that does not. */
export function growingCosts(scenarios: Scenarios): string[] {
  const { asleep = 0, noneAsleep = {}, ...tick } = scenarios['idle-tick'];
  return [
    ...differences(scenarios['step-10-of-10000'], scenarios['step-10000-of-10000'], ['step 10', 'step 10,000']),
    ...differences(noneAsleep, tick, ['an idle tick with no run', `one with ${asleep} asleep`]),
  ];
}
