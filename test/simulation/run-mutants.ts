import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { MUTANTS, type Mutant } from './mutants.ts';
import type { SeedsReport } from './run-seeds.ts';

export interface Caught {
  readonly mutant: string;
  /** Null if it got away. */
  readonly by: string | null;
  readonly seeds: number;
}

const ROOT = resolve(import.meta.dirname, '../..');
const SEEDS = 400;

/** Bundles the simulator with the patch in it and plays seeds until one breaks. */
export async function hunt(mutant: Mutant, from = 1): Promise<Caught> {
  // Beside the project's packages, which the bundle still looks for.
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.mutant-'));
  try {
    const outfile = join(folder, 'cli.mjs');
    await bundle(mutant, outfile);
    const report = await playSeeds(outfile, from);
    return { mutant: mutant.name, by: report.violations[0]?.invariant ?? null, seeds: report.seeds };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bundle({ name, file, find, replace }: Mutant, outfile: string): Promise<void> {
  let applied = 0;
  await build({
    entryPoints: [join(ROOT, 'test/simulation/cli.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    plugins: [
      {
        name: 'mutant',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            if (path !== join(ROOT, file)) return undefined;
            const source = await readFile(path, 'utf8');
            const parts = source.split(find);
            applied = parts.length - 1;
            return { contents: parts.join(replace), loader: 'ts' };
          });
        },
      },
    ],
  });
  if (applied !== 1) throw new Error(`the mutant "${name}" fits ${applied} places of ${file}: it must fit one`);
}

function playSeeds(script: string, from: number): Promise<SeedsReport> {
  const args = [script, '--seeds', `${SEEDS}`, '--from', `${from}`, '--jobs', '1', '--stop-at-first', '--json'];
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on('error', fail);
    child.on('close', (code) => {
      try {
        done(JSON.parse(text) as SeedsReport);
      } catch {
        // A mutant that takes the whole process down is caught, too.
        done({
          violations: [{ seed: from, invariant: `exit ${code}`, message: '' }],
          seeds: 1,
        } as unknown as SeedsReport);
      }
    });
  });
}

if (process.argv[1] === import.meta.filename) {
  const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const all: Caught[] = [];
  for (const mutant of MUTANTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const caught = await hunt(mutant);
    all.push(caught);
    process.stderr.write(`${caught.by ?? 'GOT AWAY'} after ${caught.seeds}: ${caught.mutant}\n`);
  }
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(all)}\n`);
  if (all.some(({ by }) => by === null)) process.exitCode = 1;
}
