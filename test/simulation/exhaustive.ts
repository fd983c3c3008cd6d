import { type SeedReport, simulate } from './simulate.ts';
import { MINUTE, onePlan, seq, sleep, step } from './workload/by-hand.ts';
import type { Plan } from './workload/clients.ts';
import type { Node } from './workload/program.ts';
import type { FaultKind } from './world/fault-plan.ts';
import type { WorkerKind } from './world/fleet.ts';

/** One of these at every call, one call at a time. */
export const SINGLE_FAULTS = ['crash-before', 'crash-after', 'ambiguous', 'lost', 'pause', 'straggler'] as const;

interface Canonical {
  readonly name: string;
  readonly program: Node;
  readonly cancel?: Plan['cancel'];
}

/** Small programs that together use everything. */
export const CANONICAL: readonly Canonical[] = [
  { name: 'steps one after another', program: seq(step('n0'), step('n1'), step('n2')) },
  { name: 'a step that fails twice', program: seq(step('n0', { fails: 2 }), step('n1')) },
  {
    name: 'sleeps, short and long',
    program: seq(step('n0'), sleep('n1', 2_000), sleep('n2', 20 * MINUTE), step('n3')),
  },
  {
    name: 'branches in parallel',
    program: seq(
      { op: 'parallel', how: 'parallel', collect: false, of: [seq(step('n0'), step('n1')), step('n2')] },
      step('n3'),
    ),
  },
  {
    name: 'a map of three, two at a time',
    program: seq({
      op: 'parallel',
      how: 'map',
      collect: true,
      of: [step('n0'), seq(sleep('n1', 40_000), step('n2')), step('n3')],
    }),
  },
  {
    name: 'a race of a step and a sleep',
    program: seq(
      { op: 'race', id: 'n0', how: 'race', of: [step('n1'), sleep('n2', 20 * MINUTE)] },
      sleep('n3', 2_000),
      step('n4'),
    ),
  },
  {
    name: 'a failure that is caught, and a clean-up',
    program: seq({ op: 'try', body: seq(step('n0'), step('n1', { fails: 9, attempts: 2 })), cleanup: step('n2') }),
  },
  {
    name: 'a child that is waited for',
    program: seq(
      step('n0'),
      { op: 'child', id: 'n1', version: '1', waits: true, program: seq(step('n0'), sleep('n1', 30_000)) },
      step('n2'),
    ),
  },
  {
    name: 'a child that nobody waits for',
    program: seq(
      { op: 'child', id: 'n0', version: '1', waits: false, program: seq(step('n0')) },
      step('n1'),
      step('n2'),
    ),
  },
  {
    name: 'results in blobs, and a long body',
    program: seq(step('n0', { bytes: 40_000 }), sleep('n1', 20_000), step('n2', { takesMs: 40_000 })),
  },
  {
    name: 'a cancel in the middle',
    program: seq(step('n0'), sleep('n1', 20 * MINUTE), step('n2')),
    cancel: { afterMs: 30_000, graceMs: null },
  },
  {
    name: 'a cancel with a grace, and a clean-up',
    program: seq({ op: 'try', body: seq(step('n0'), sleep('n1', 20 * MINUTE)), cleanup: step('n2') }),
    cancel: { afterMs: 30_000, graceMs: 60_000 },
  },
];

export interface ExhaustiveReport {
  readonly workflows: number;
  readonly plays: number;
  readonly struck: number;
  readonly kinds: readonly FaultKind[];
  readonly violations: readonly { readonly play: string; readonly invariant: string; readonly message: string }[];
  readonly seconds: number;
}

const KINDS: readonly WorkerKind[] = ['direct', 'poll', 'lambda'];

const playOne = (
  index: number,
  kind: WorkerKind,
  single: { at: number; kind: FaultKind } | null,
): Promise<SeedReport> => {
  const { program, cancel = null } = CANONICAL[index] as Canonical;
  const plan = onePlan(program, { cancel });
  const fleet = { kinds: [kind], watchdogs: 1, copies: 1, maxConcurrent: 2, mixedVersions: false };
  return simulate({ seed: 1, single, plans: [plan], fleet });
};

/** One fault of every kind at every call of every canonical workflow. `share` of `shares` splits the work. */
export async function exhaust(share: number, shares: number, only?: string): Promise<ExhaustiveReport> {
  const startedAt = performance.now();
  const violations: { play: string; invariant: string; message: string }[] = [];
  let [plays, struck] = [0, 0];
  for (const [index, { name }] of CANONICAL.entries()) {
    // Every workflow with a direct worker; the other kinds take turns.
    const kinds = [KINDS[0], KINDS[1 + (index % 2)]] as readonly WorkerKind[];
    for (const worker of kinds) {
      const calm = await playOne(index, worker, null);
      for (let at = 0; at <= calm.faultCalls; at++) {
        for (const kind of at === 0 ? (['lost'] as const) : SINGLE_FAULTS) {
          const play = `${name}; ${worker} worker; ${at === 0 ? 'no fault' : `${kind} at call ${at}`}`;
          if (only === undefined ? at % shares !== share : only !== play) continue;
          const report = at === 0 ? calm : await playOne(index, worker, { at, kind });
          plays += 1;
          if (report.faultCount > 0) struck += 1;
          const [first] = report.violations;
          if (first !== undefined) violations.push({ play: `${play} (${report.struck})`, ...first });
        }
      }
    }
  }
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  return { workflows: CANONICAL.length, plays, struck, kinds: SINGLE_FAULTS, violations, seconds };
}

/** What several processes did, as one. */
export const together = (reports: readonly ExhaustiveReport[]): Omit<ExhaustiveReport, 'seconds'> => ({
  workflows: CANONICAL.length,
  kinds: SINGLE_FAULTS,
  plays: reports.reduce((sum, { plays }) => sum + plays, 0),
  struck: reports.reduce((sum, { struck }) => sum + struck, 0),
  violations: reports.flatMap(({ violations }) => violations),
});
