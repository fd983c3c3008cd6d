import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { freePort, type Running, startKagzi } from './kagzi-process.ts';

const PART = JSON.stringify('./parts/greeting.ts');
const FLOW = `
import { defineWorkflow } from 'kagzi';
import { greeting } from ${PART};
export default [defineWorkflow({ type: 'greet' }, async (ctx) => ctx.step('say', () => greeting as string))];
`;

const SLOW = `
import { defineWorkflow } from 'kagzi';
export const slow = defineWorkflow({ type: 'slow' }, async (ctx) => {
  await ctx.step('first', ({ log }) => log.info('first body'));
  await ctx.sleep('a while', '3s');
  return ctx.step('last', () => 'done');
});
`;

let directory: string;
let env: Record<string, string>;
let dev: Running | undefined;
beforeEach(async () => {
  directory = temporaryDirectory();
  mkdirSync(join(directory, 'parts'));
  const port = await freePort();
  env = { KAGZI_SERVER_PORT: String(port), KAGZI_URL: `http://127.0.0.1:${port}` };
});
afterEach(async () => {
  dev?.kill('SIGKILL');
  await dev?.ended;
  rmSync(directory, { recursive: true, force: true });
});

const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
const kagzi = (...args: readonly string[]): Running => startKagzi(args, { cwd: directory, env });
const greet = async (): Promise<unknown> => JSON.parse((await kagzi('start', 'greet', '--wait').ended).stdout);

describe('kagzi dev', { timeout: 60_000 }, () => {
  it.each(['module', 'commonjs'])('serves a file of a %s package and loads it anew when it changes', async (type) => {
    write('package.json', JSON.stringify({ type }));
    write('flow.ts', FLOW);
    write('parts/greeting.ts', "export const greeting = 'Hello';");
    dev = kagzi('dev', 'flow.ts');
    await dev.printed('Kagzi is running');
    expect(await greet()).toBe('Hello');

    write('parts/greeting.ts', "export const greeting = 'Ciao';");
    await dev.printed('workflows loaded anew');
    expect(await greet()).toBe('Ciao');

    write('parts/greeting.ts', 'export const greeting = ;');
    await dev.printed('the workflows stay as they were');
    expect(await greet()).toBe('Ciao');

    dev.kill('SIGTERM');
    expect((await dev.ended).code).toBe(0);
  });

  it('is killed while a command waits for a run, and started again: the command sees it end', async () => {
    write('flow.ts', SLOW);
    dev = kagzi('dev', 'flow.ts');
    await dev.printed('Kagzi is running');
    const waiting = kagzi('start', 'slow', '--wait');
    await waiting.printed('✓ first');
    dev.kill('SIGKILL');
    const before = await dev.ended;
    await waiting.printed('the engine does not answer');
    dev = kagzi('dev', 'flow.ts');
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: '"done"\n' });
    expect([before.stderr, dev.output()].join().match(/first body/g)).toHaveLength(1);
  });

  it.each([
    ['that is not there', undefined, 'flow.ts cannot be loaded: there is no such file'],
    ['that exports no workflow', 'export const x = 1;', 'flow.ts exports no workflow'],
    ['that throws', "throw new Error('not today');", 'flow.ts cannot be loaded: not today ('],
    ['that throws', "\n  throw new Error('not today');", 'flow.ts:2:9)'],
    ['that imports what is not there', `import ${JSON.stringify('./parts/gone.ts')};`, "parts/gone.ts' imported from"],
    ['that imports a package that is not there', "import 'no-such-package';", "Cannot find package 'no-such-package'"],
    ['whose import throws', `import ${JSON.stringify('./parts/late.ts')};`, 'parts/late.ts:1:7)'],
  ])('refuses a file %s', async (_what, text, message) => {
    write('parts/late.ts', "throw new Error('late');");
    if (text !== undefined) write('flow.ts', text);
    const { code, stderr } = await kagzi('dev', 'flow.ts').ended;
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });
});
