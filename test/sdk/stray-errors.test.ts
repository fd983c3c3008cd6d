import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ended, startProcess } from '../cli/kagzi-process.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';

const SCRIPT = fileURLToPath(new URL('../helpers/stray-script.ts', import.meta.url));

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const run = (...args: readonly string[]): Promise<Ended> =>
  startProcess(process.execPath, ['--import', 'tsx', SCRIPT, directory, ...args]).ended;

it('an async function that fails with the error of a step before it is awaited ends no process', {
  timeout: 30_000,
}, async () => {
  const { code, stdout } = await run();
  expect(stdout).toContain('caught: fast broke');
  expect(stdout).toContain('ctx.step "fast" failed, and what depends on it was not awaited');
  expect(code).toBe(0);
});

it('a rejection that is of no step ends the process as ever', { timeout: 30_000 }, async () => {
  const { code, stderr } = await run('foreign');
  expect(stderr).toContain('not of a step');
  expect(code).toBe(1);
});
