import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, ROOT } from './bundle.ts';
import { MUTANTS, type Mutant } from './mutants.ts';
import { runScript } from './run-script.ts';
import type { SeedsReport } from './run-seeds.ts';

/** `--search` plays from seed 1, however well known the seed is; words choose among the mutants. */
const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' }, search: { type: 'boolean', default: false } },
  allowPositionals: true,
});

export interface Caught {
  readonly mutant: string;
  /** The invariant; null if it got away. */
  readonly by: string | null;
  /** The first seed that catches it: so many seeds were needed. */
  readonly seed: number;
}

const SEEDS = 300;

/** Bundles the simulator with the patch in it and plays seeds until one breaks. */
async function hunt(mutant: Mutant): Promise<Caught> {
  // Beside the project's packages, which the bundle still looks for.
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.mutant-'));
  try {
    const script = join(folder, 'script.mjs');
    await bundle('play-seeds.ts', script, [mutant]);
    const known = values.search ? null : await firstBroken(script, mutant.seed, 1);
    const found = known ?? (await firstBroken(script, 1, SEEDS));
    return { mutant: mutant.name, by: found?.invariant ?? null, seed: found?.seed ?? SEEDS };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function firstBroken(script: string, from: number, seeds: number): Promise<SeedsReport['violations'][0] | null> {
  try {
    const args = ['--from', `${from}`, '--seeds', `${seeds}`, '--stop-at-first', '--quiet'];
    const { violations } = await runScript<SeedsReport>(script, args);
    return violations[0] ?? null;
  } catch (error) {
    // A mutant that takes the whole process down is caught, too.
    return { seed: from, invariant: 'CRASH', message: String(error) };
  }
}

const wanted = MUTANTS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
);
const left = [...wanted];
const all: Caught[] = [];
const hunter = async (): Promise<void> => {
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const caught = await hunt(next);
    all.push(caught);
    if (values.json !== true) {
      process.stderr.write(`${caught.by ?? 'GOT AWAY'} | ${caught.seed} | ${caught.mutant}\n`);
    }
  }
};
await Promise.all([hunter(), hunter()]);
if (values.json === true) process.stdout.write(`${JSON.stringify(all)}\n`);
if (all.some(({ by }) => by === null)) process.exitCode = 1;
