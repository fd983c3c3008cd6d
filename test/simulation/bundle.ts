import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** A change of one place in a source file. */
export interface Patch {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export const ROOT = resolve(import.meta.dirname, '../..');
const bundles = new Map<string, Promise<string>>();

/** The script as one file of plain JavaScript, made once a process and removed when it ends: it starts and runs faster. */
export function bundled(script: string): Promise<string> {
  const known = bundles.get(script);
  if (known !== undefined) return known;
  // Beside the project's packages, which the bundle still looks for.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.simulator-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const made = bundle(script, join(folder, 'script.mjs'), []).then(() => join(folder, 'script.mjs'));
  bundles.set(script, made);
  return made;
}

export async function bundle(script: string, outfile: string, patches: readonly Patch[]): Promise<void> {
  const applied = new Map(patches.map((patch) => [patch, 0]));
  await build({
    entryPoints: [join(ROOT, 'test/simulation', script)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    plugins: [
      {
        name: 'patches',
        setup(plugin) {
          plugin.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            const here = patches.filter(({ file }) => path === join(ROOT, file));
            if (here.length === 0) return undefined;
            let contents = await readFile(path, 'utf8');
            for (const patch of here) {
              const parts = contents.split(patch.find);
              applied.set(patch, parts.length - 1);
              contents = parts.join(patch.replace);
            }
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  for (const [{ name, file }, times] of applied) {
    if (times !== 1) throw new Error(`the patch "${name}" fits ${times} places of ${file}: it must fit one`);
  }
}
