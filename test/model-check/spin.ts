import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Check, type Defines, ENDS } from './models.ts';
import { parsePan, type Search } from './parse-pan.ts';

const run = promisify(execFile);

export const MODELS = resolve(import.meta.dirname, '../../docs/protocol');

const answers = (command: string, version: string): boolean => spawnSync(command, [version]).status === 0;

/** Null if models can be checked here. */
export function whyNot(): string | null {
  const missing = [...(answers('spin', '-V') ? [] : ['spin']), ...(answers('gcc', '--version') ? [] : ['gcc'])];
  return missing.length === 0 ? null : `${missing.join(' and ')} not installed`;
}

export interface Effort {
  /** Small searches are over before an optimised verifier would be compiled. */
  readonly optimise: boolean;
  readonly megabytes: number;
}
export const SMALL: Effort = { optimise: false, megabytes: 2_000 };
export const DEEP: Effort = { optimise: true, megabytes: 14_000 };

/** A search may go so deep; the deepest so far was a thousand steps or two. */
const DEPTH = 10_000;

/** Looks at every state of the model, or stops at the first violation. */
export async function search(check: Omit<Check, 'name'>, effort: Effort, extra: Defines = {}): Promise<Search> {
  const folder = await mkdtemp(join(tmpdir(), 'kagzi-model-'));
  try {
    const file = `${check.model}.pml`;
    await copyFile(join(MODELS, file), join(folder, file));
    const at = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    const defines = Object.entries({ ...check.defines, ...extra }).map(([name, value]) => `-D${name}=${value}`);
    await run('spin', ['-a', ...defines, file], at);
    await run('gcc', [...compilerFlags(check, effort), '-o', 'pan', 'pan.c'], at);
    const options = check.mode === 'liveness' ? ['-a', '-f'] : [];
    const { stdout } = await run(join(folder, 'pan'), [...options, `-m${DEPTH}`, '-w20'], at);
    return parsePan(stdout, ENDS);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const compilerFlags = ({ mode }: Pick<Check, 'mode'>, { optimise, megabytes }: Effort): readonly string[] => [
  '-w',
  optimise ? '-O2' : '-O0',
  `-DMEMLIM=${megabytes}`,
  ...(optimise ? ['-DCOLLAPSE'] : []),
  // For safety the claim of the liveness property only stands in the way.
  ...(mode === 'safety' ? ['-DSAFETY', '-DNOCLAIM'] : ['-DNFAIR=4']),
];
