import { play as playSeed } from './run-seeds.ts';
import { type SeedReport, type SimulateOptions, simulate } from './simulate.ts';
import { onePlan, seq, step } from './workload/by-hand.ts';
import type { FleetOptions, WorkerKind } from './world/fleet.ts';

/**
 * What the simulator has found, as plays that do not depend on what a seed draws: a program, a fleet and faults by
 * name. A failing seed is shrunk (`npm run sim -- --seed S --shrink`), its trace read, and what is left written down
 * here. It must fail without the fix.
 */
export interface Regression {
  readonly name: string;
  /** Where it was found. */
  readonly found: string;
  readonly play: Omit<SimulateOptions, 'seed'> | { readonly seed: number };
}

const one = (kind: WorkerKind): Partial<FleetOptions> => ({
  kinds: [kind],
  watchdogs: 1,
  copies: 1,
  maxConcurrent: 2,
  mixedVersions: false,
});

const BY_HAND: readonly Regression[] = [
  {
    name: 'a worker keeps a run whose message it could not acknowledge',
    found: 'seed 134, I16',
    play: {
      plans: [onePlan(seq(step('n0'), step('n1')))],
      fleet: one('direct'),
      single: [{ kind: 'lost', call: 'queue.ack', role: 'direct', nth: 1 }],
    },
  },
];

/** Seeds that something was found by, played whole: worth what they draw until the workload changes. */
const SEEDS: readonly { readonly seed: number; readonly found: string }[] = [
  { seed: 975, found: 'I18: whoever woke a run died before it had taken its timer away' },
  { seed: 306125, found: 'I18: a timer was set when its run had gone on already' },
  { seed: 300659, found: 'I11: the body of a lost race began when the run had ended' },
  { seed: 307743, found: 'I11, the same in process' },
  { seed: 305477, found: 'I16: a claim whose fifth try was applied, but not answered, was not asked for again' },
  { seed: 333957, found: 'I16: a watchdog that stood still took a lease that had been renewed meanwhile' },
  { seed: 315797, found: 'I16: a worker died right after its claim of a run that had waited for long' },
  { seed: 302933, found: 'I15: a run did not replay because a former owner had recorded something after its end' },
  { seed: 302755, found: 'I3, the rule: it took a read of one claim for the proof of another of the same process' },
  { seed: 345917, found: 'the workload: it asked to cancel a run past its retention' },
];

export const REGRESSIONS: readonly Regression[] = [
  ...BY_HAND,
  ...SEEDS.map(({ seed, found }) => ({ name: `seed ${seed}`, found, play: { seed } })),
];

export const playRegression = ({ play }: Regression): Promise<SeedReport> =>
  'seed' in play ? playSeed(play.seed) : simulate({ ...play, seed: 1 });
