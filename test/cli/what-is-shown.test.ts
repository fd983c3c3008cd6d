import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createWorker, defineWorkflow } from '../../sdk/index.ts';
import type { PollingWorker } from '../../sdk/worker/poll-worker.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { freePort, type Running, startKagzi } from './kagzi-process.ts';

const FLOWS = `
import { defineWorkflow } from 'kagzi';
let count = 0;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const racy = defineWorkflow({ type: 'racy' }, async (ctx) =>
  ctx.race({
    quick: (c) => c.step('quick', () => pause(30)),
    slow: (c) => c.step('slow', () => pause(60_000), { atMostOnce: true }),
    late: (c) => c.sleep('late', '1 hour'),
  }),
);
export const flaky = defineWorkflow({ type: 'flaky' }, async (ctx) =>
  ctx.step('try', ({ attempt }) => {
    if (attempt < 3) throw new Error('not yet');
    return attempt;
  }, { retry: { kind: 'fixed', interval: 50 } }),
);
export const rich = defineWorkflow({ type: 'rich' }, async (ctx) =>
  ctx.step('make', () => ({ at: new Date(0), big: 10n, tags: new Set(['a']), map: new Map([['k', 1]]), none: undefined })),
);
export const broken = defineWorkflow({ type: 'broken' }, async (ctx) => {
  await ctx.step('explode', () => { throw new TypeError('bang'); }, { retry: 'none' });
});
export const odd = defineWorkflow({ type: 'odd' }, async (ctx) => ctx.step('step ' + count++, () => 1));
export const parent = defineWorkflow({ type: 'parent' }, async (ctx) => ctx.call('kid', child, undefined));
export const child = defineWorkflow({ type: 'child' }, async (ctx) => ctx.step('wait', () => pause(300)));
export const stubborn = defineWorkflow({ type: 'stubborn' }, async (ctx) => {
  try {
    await ctx.sleep('nap', '1 day');
  } finally {
    await ctx.step('clean', () => pause(30));
  }
});
`;

let directory: string;
let dev: Running;
let url: string;
beforeAll(async () => {
  directory = temporaryDirectory();
  writeFileSync(join(directory, 'flows.ts'), FLOWS);
  url = `http://127.0.0.1:${await freePort()}`;
  dev = startKagzi(['dev', 'flows.ts', '--port', new URL(url).port], { cwd: directory });
  await dev.printed('Kagzi is running');
}, 30_000);
afterAll(async () => {
  dev.kill('SIGKILL');
  await dev.ended;
  rmSync(directory, { recursive: true, force: true });
});

async function kagzi(...argv: readonly string[]) {
  const printed: string[] = [];
  const noted: string[] = [];
  const code = await runCli(argv, {
    env: { KAGZI_URL: url },
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
  });
  return { code, out: printed.join('\n'), err: noted.join('\n') };
}

async function ended(type: string): Promise<string> {
  const { err } = await kagzi('start', type, '--wait');
  return /run (\S+)/.exec(err)?.[1] ?? '';
}

const row = (out: string, step: string): string => out.split('\n').find((line) => line.includes(` ${step} `)) ?? '';

describe('the steps of a run', { timeout: 30_000 }, () => {
  it('that had not ended when the run did are shown as abandoned', async () => {
    const { out } = await kagzi('steps', await ended('racy'));
    expect(row(out, 'race()/quick/quick')).toContain('COMPLETED');
    expect(row(out, 'race()/slow/slow')).toContain('ABANDONED');
    expect(row(out, 'race()/late/late')).toMatch(/ABANDONED +\d+ms/);
  });

  it('that were tried again show each attempt', async () => {
    const { out } = await kagzi('steps', await ended('flaky'));
    expect(row(out, 'try')).toMatch(/▒.*█.*COMPLETED.*attempt 3/);
    expect(row(out, 'try')).toMatch(/COMPLETED +([1-9]\d{2}ms|\d+\.\ds)/);
  });

  it('that were children took as long as the child did', async () => {
    const { out } = await kagzi('steps', await ended('parent'));
    expect(row(out, 'kid')).toMatch(/COMPLETED +([1-9]\d{2}ms|\d+\.\ds)/);
  });

  it('say where they failed, on request', async () => {
    const { out } = await kagzi('steps', await ended('broken'), '--verbose');
    expect(out).toMatch(/^explode, attempt 1: TypeError: bang\n +at .*flows\.ts/m);
  });

  it('do not show what the engine records for itself', async () => {
    const { out: run } = await kagzi('start', 'stubborn');
    await dev.printed('Kagzi is running');
    while (!(await kagzi('get', run)).out.includes('RUNNING') && !(await kagzi('get', run)).out.includes('SLEEPING'));
    await kagzi('cancel', run, '--grace', '10s');
    const { err } = await kagzi('result', run);
    expect(err).not.toContain('$cancel');
    const { out } = await kagzi('steps', run);
    expect(out).not.toContain('$cancel');
    expect(out).toMatch(/^Told to cancel after/m);
    expect(row(out, 'nap')).toContain('ABANDONED');
  });
});

describe('a run', { timeout: 30_000 }, () => {
  it('shows its values readably, and as stored with --json', async () => {
    const { out } = await kagzi('start', 'rich', '--wait');
    expect(JSON.parse(out)).toEqual({ at: '1970-01-01T00:00:00.000Z', big: '10', tags: ['a'], map: { k: 1 } });
    const stored = await kagzi('start', 'rich', '--wait', '--json');
    expect(JSON.parse(stored.out)).toMatchObject({ output: { big: { $kagzi: 'bigint', value: '10' } } });
    expect(stored.err).not.toContain('✓');
  });

  it('that failed shows its stack, and the log of the engine names it', async () => {
    const run = await ended('broken');
    const { out } = await kagzi('get', run);
    expect(out).toMatch(/^error +TypeError: bang$/m);
    expect(out).toMatch(/^ +at .*flows\.ts/m);
    await dev.printed('the run failed');
    const log = dev.output();
    expect(log).toMatch(new RegExp(`a step failed .*step_id=explode .*run_id=${run}`));
    expect(log).toMatch(
      new RegExp(`the run failed error_code=TypeError error=bang run_id=${run} workflow_type=broken`),
    );
  });

  it('whose code is not deterministic is found out at once', async () => {
    const run = await ended('odd');
    await dev.printed('its code is not deterministic');
    expect(dev.output()).toMatch(new RegExp(`not deterministic.*run_id=${run}.*difference=.*step 0.*step 1`));
  });

  it('that nobody serves is told so, wherever one looks', async () => {
    const hint = 'No worker serves workflow type "rihc" on queue "default" now.';
    const started = await kagzi('start', 'rihc');
    expect(started).toMatchObject({ code: 0 });
    expect(started.err).toContain(hint);
    expect(started.err).toContain('Did you mean `rich`?');
    expect((await kagzi('get', started.out)).err).toContain(hint);
    expect((await kagzi('result', started.out, '--timeout', '10ms')).err).toContain(hint);
    expect((await kagzi('get', started.out)).out).not.toContain('goes on');
  });

  it('is listed with its version and how long it took', async () => {
    await ended('rich');
    expect((await kagzi('list', '--type', 'rich')).out).toMatch(
      /^RUN +WORKFLOW +VERSION +STATUS +CREATED +TOOK +EXTERNAL ID\n\S+ +rich +1 +COMPLETED/,
    );
  });

  it('is found whatever the case of its id, and not found under what is none', async () => {
    const run = await ended('rich');
    expect((await kagzi('get', run.toUpperCase())).out).toContain(run);
    expect(await kagzi('get', 'nope')).toMatchObject({ code: 2, out: '' });
  });
});

describe('workers that poll', () => {
  let worker: PollingWorker | undefined;
  afterAll(() => worker?.stop());

  it('are listed by name, and count as serving', async () => {
    const flow = defineWorkflow({ type: 'far-away' }, async () => 1);
    worker = createWorker({ workflows: [flow], log: () => undefined }).poll({
      url,
      name: 'number one',
      signals: false,
    });
    while (!(await kagzi('workers')).out.includes('number one'));
    expect((await kagzi('start', 'far-away')).err).toBe('');
  });
});

describe('errors', () => {
  let stranger: Server | undefined;
  afterAll(() => stranger?.close());

  it('are JSON where JSON was asked for', async () => {
    const { code, out, err } = await kagzi('get', '00000000-0000-7000-8000-000000000000', '--json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'RUN_NOT_FOUND' } });
    expect(JSON.parse((await kagzi('get', 'nope', '--json')).err)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    const failed = await kagzi('start', 'broken', '--wait', '--json');
    expect(failed.code).toBe(4);
    expect(JSON.parse(failed.err)).toMatchObject({ error: { code: 'RUN_FAILED' } });
  });

  it('of a server that is no engine do not show its page', async () => {
    stranger = createServer((_request, response) => response.writeHead(404).end('<!doctype html><p>nothing here'));
    await new Promise<void>((resolve) => stranger?.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as { readonly port: number };
    const { code, err } = await kagzi('list', '--url', `http://127.0.0.1:${port}`);
    expect(code).toBe(3);
    expect(err).toContain('does not answer as an engine does, but with 404 and a page');
  });

  it.each([
    [['start', 'rich', '--delay', '-5s'], 'one that begins with - is written --delay=VALUE'],
    [['start', 'rich', '--delay=-5s'], '--delay: "-5s" is no duration'],
    [['start', 'rich', '--timeout', '1s'], '--timeout needs --wait'],
    [['list', '--url', 'localhost:8750'], '"localhost:8750" is no URL of an engine'],
    [['dev', 'flows.ts', '--url', 'http://127.0.0.1:1'], 'There is no option --url'],
  ])('%j', async (argv, words) => {
    const { code, err } = await kagzi(...argv);
    expect(err).toContain(words);
    expect(code).toBe(1);
  });
});

it('the welcome suggests what is served, and a taken port how to choose another', { timeout: 30_000 }, async () => {
  expect(dev.output()).not.toContain('"hello"');
  expect(dev.output()).toContain(`-d '{"workflow_type":"`);
  const second = await startKagzi(['dev', 'flows.ts', '--port', new URL(url).port, '--data', 'other'], {
    cwd: directory,
  }).ended;
  expect(second.code).toBe(1);
  expect(second.stderr).toContain('--port of `kagzi dev`');
});

it('stopping says what it waits for', { timeout: 30_000 }, async () => {
  const flow = `
    import { defineWorkflow } from 'kagzi';
    export const busy = defineWorkflow({ type: 'busy' }, async (ctx) => ctx.step('long', () => new Promise((resolve) => {
      console.log('in the body');
      setTimeout(resolve, 1_000);
    })));`;
  writeFileSync(join(directory, 'busy.ts'), flow);
  const other = `http://127.0.0.1:${await freePort()}`;
  const server = startKagzi(['dev', 'busy.ts', '--port', new URL(other).port, '--data', 'busy'], { cwd: directory });
  await server.printed('Kagzi is running');
  const { out: run } = await kagzi('start', 'busy', '--url', other);
  await server.printed('in the body');
  server.kill('SIGTERM');
  await server.printed(`  busy ${run}`);
  expect((await server.ended).code).toBe(0);
});
