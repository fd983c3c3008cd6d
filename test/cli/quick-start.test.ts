import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { freePort, KAGZI, startProcess } from './kagzi-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const SESSION = /<!-- quick-start[^\n]*-->\n```sh\n([\s\S]*?)```/.exec(README)?.[1] ?? '';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('the quick start of the README: killed in the middle, the order goes on and repeats nothing completed', {
  timeout: 90_000,
}, async () => {
  mkdirSync(join(directory, 'examples'));
  cpSync(join(ROOT, 'examples/order.ts'), join(directory, 'examples/order.ts'));
  const port = await freePort();
  const env = { KAGZI_SERVER_PORT: String(port), KAGZI_URL: `http://127.0.0.1:${port}` };
  // In this folder the command is not installed.
  const npx = `npx() { shift; "${process.execPath}" "${KAGZI}" "$@"; }`;
  const session = startProcess('bash', ['-c', `${npx}\n${SESSION}wait`], { cwd: directory, env });
  const { stdout, stderr } = await session.ended;
  const count = (text: string): number => stderr.split(text).length - 1;
  expect(stdout).toMatch(/order \S+: COMPLETED/);
  expect(stdout).toContain('"charged": 42');
  expect(count('reserving')).toBe(1);
  expect(count('confirming')).toBe(1);
  expect(count('charging')).toBeGreaterThanOrEqual(2);
  expect(stdout.split('Kagzi is running').length - 1).toBe(2);
});

it('the workflow the README shows is the one in examples/', () => {
  const shown = /export const greet = [\s\S]*?\n\}\);\n/.exec(README)?.[0].replace(/ +\/\/[^\n]*/g, '');
  expect(readFileSync(join(ROOT, 'examples/hello.ts'), 'utf8')).toContain(shown);
});
