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
  readonly play: Omit<SimulateOptions, 'seed'>;
}

const one = (kind: WorkerKind): Partial<FleetOptions> => ({
  kinds: [kind],
  watchdogs: 1,
  copies: 1,
  maxConcurrent: 2,
  mixedVersions: false,
});

export const REGRESSIONS: readonly Regression[] = [
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

export const playRegression = ({ play }: Regression): Promise<SeedReport> => simulate({ ...play, seed: 1 });
