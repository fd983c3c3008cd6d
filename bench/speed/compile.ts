import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILED = join(ROOT, 'node_modules/.cache/kagzi-bench');

export const compiledFile = (path: string): string => join(COMPILED, path);

/** What is measured is what `npm run build` would ship, not what a loader makes of the sources. */
export function compile(): void {
  rmSync(COMPILED, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.bench.json')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the engine does not compile:\n${stdout}${stderr}`);
}
