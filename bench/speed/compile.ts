import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../plain-error.ts';
import { removeAtExit } from '../scratch.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Of this process: another measurement may run beside it. Inside the project, where imports find their packages. */
const COMPILED = join(ROOT, `node_modules/.cache/kagzi-bench-${process.pid}`);

export const compiledFile = (path: string): string => join(COMPILED, path);

/** What is measured is what `npm run build` would ship, not what a loader makes of the sources. */
export function compile(): void {
  removeAtExit(COMPILED);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', join(ROOT, 'tsconfig.bench.json'), '--outDir', COMPILED];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new PlainError(`the engine does not compile:\n${stdout}${stderr}`);
}
