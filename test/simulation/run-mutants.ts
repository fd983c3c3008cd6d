import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, ROOT } from './bundle.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { runScript } from './run-script.ts';
import type { SeedsReport } from './run-seeds.ts';

export interface Caught {
  readonly mutant: string;
  /** Null if it got away. */
  readonly by: string | null;
  readonly seeds: number;
}

const SEEDS = 150;

/** Bundles the simulator with the patch in it and plays seeds until one breaks. */
export async function hunt(mutant: Mutant, from = 1): Promise<Caught> {
  // Beside the project's packages, which the bundle still looks for.
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.mutant-'));
  try {
    const outfile = join(folder, 'script.mjs');
    await bundle('play-seeds.ts', outfile, [mutant]);
    const report = await playSeeds(outfile, from);
    return { mutant: mutant.name, by: report.violations[0]?.invariant ?? null, seeds: report.seeds };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function playSeeds(script: string, from: number): Promise<Pick<SeedsReport, 'violations' | 'seeds'>> {
  try {
    return await runScript(script, ['--seeds', `${SEEDS}`, '--from', `${from}`, '--stop-at-first']);
  } catch (error) {
    // A mutant that takes the whole process down is caught, too.
    return { violations: [{ seed: from, invariant: 'CRASH', message: String(error) }], seeds: 1 };
  }
}

/** Two at a time. */
export async function huntAll(
  mutants: readonly Mutant[],
  onCaught: (caught: Caught) => void,
): Promise<readonly Caught[]> {
  const left = [...mutants];
  const all: Caught[] = [];
  const hunter = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const caught = await hunt(next);
      onCaught(caught);
      all.push(caught);
    }
  };
  await Promise.all([hunter(), hunter()]);
  return all.toSorted((a, b) => (a.mutant < b.mutant ? -1 : 1));
}

if (process.argv[1] === import.meta.filename) {
  const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const mutants = MUTANTS.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
  const all = await huntAll(mutants, ({ by, seeds, mutant }) => {
    process.stderr.write(`${by ?? 'GOT AWAY'} after ${seeds}: ${mutant}\n`);
  });
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(all)}\n`);
  if (all.some(({ by }) => by === null)) process.exitCode = 1;
}
