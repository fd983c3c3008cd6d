import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { EXIT_MEANINGS } from '../../cli/exit-codes.ts';
import { runCli } from '../../cli/run-cli.ts';
import { type ChildServer, startChildServer } from '../helpers/child-server.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { startKagzi } from './kagzi-process.ts';

let directory: string;
let server: ChildServer;
beforeAll(async () => {
  directory = temporaryDirectory();
  server = await startChildServer({ KAGZI_DATA_DIR: join(directory, 'data') });
});
afterAll(async () => {
  await server.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

async function kagzi(...argv: readonly string[]) {
  const printed: string[] = [];
  const noted: string[] = [];
  const code = await runCli(argv, {
    env: { KAGZI_URL: server.url },
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
  });
  return { code, out: printed.join('\n'), err: noted.join('\n') };
}

const greetAda = ['start', 'greet', '--input', '{"name": "Ada"}'] as const;
const NOBODY = '00000000-0000-7000-8000-000000000000';

describe('a run from the terminal', () => {
  it('is started and waited for: the output alone is printed, progress goes to the other stream', async () => {
    const { code, out, err } = await kagzi(...greetAda, '--wait');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ greeting: 'Hello, Ada!' });
    expect(err).toContain('✓ compose');
    expect(err).toContain('✓ think');
  });

  it('is started without waiting: its id is printed, and the other commands take it', async () => {
    const started = await kagzi(...greetAda, '--external-id', 'greet-1');
    expect(started.out).toMatch(/^[0-9a-f-]{36}$/);
    expect(await kagzi(...greetAda, '--external-id', 'greet-1')).toMatchObject({ code: 0, out: started.out });
    expect(JSON.parse((await kagzi('result', started.out)).out)).toMatchObject({ greeting: 'Hello, Ada!' });

    const shown = await kagzi('get', started.out);
    expect(shown.out).toMatch(/^status +COMPLETED$/m);
    expect(shown.out).toMatch(/^external id +greet-1$/m);
    expect(JSON.parse((await kagzi('get', started.out, '--json')).out)).toMatchObject({ run_id: started.out });

    const timeline = await kagzi('steps', started.out);
    expect(
      timeline.out
        .split('\n')
        .slice(2)
        .map((line) => /█·* +(\S+) +(\S+)/.exec(line)?.slice(1)),
    ).toEqual([
      ['compose', 'COMPLETED'],
      ['think', 'COMPLETED'],
      ['send', 'COMPLETED'],
    ]);
    const { steps } = JSON.parse((await kagzi('steps', started.out, '--json')).out) as { steps: unknown[] };
    expect(steps).toHaveLength(3);

    const listed = await kagzi('list', '--external-id', 'greet-1');
    expect(listed.out).toContain(started.out);
    expect(JSON.parse((await kagzi('list', '--status', 'failed', '--json')).out)).toMatchObject({ more: false });
  });

  it('is exported, and the export is replayed against the code', { timeout: 60_000 }, async () => {
    const { out: run } = await kagzi(...greetAda);
    await kagzi('result', run);
    const file = join(directory, 'history.json');
    expect(await kagzi('export', run, '--output', file)).toMatchObject({ code: 0, out: '' });
    const same = await startKagzi(['replay', file, 'examples/hello.ts']).ended;
    expect(same).toMatchObject({ code: 0, stderr: '' });
    expect(same.stdout).toContain('3 steps');
    const code = readFileSync('examples/hello.ts', 'utf8').replace("'compose'", "'write'");
    writeFileSync(join(directory, 'changed.ts'), code);
    const changed = await startKagzi(['replay', file, join(directory, 'changed.ts')]).ended;
    expect(changed).toMatchObject({ code: 1, stdout: '' });
    expect(changed.stderr).toMatch(/write[\s\S]*compose|compose[\s\S]*write/);
    const other = await startKagzi(['replay', file, 'examples/order.ts']).ended;
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toContain('The run is of greet, version 1');
    const none = await startKagzi(['replay', file, join(directory, 'none.ts')]).ended;
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toBe(`${join(directory, 'none.ts')} cannot be loaded: there is no such file.\n`);
  });

  it('that failed leaves with 4 and says why', async () => {
    const { code, err } = await kagzi('start', 'order', '--input', '{"amount": 20000}', '--wait');
    expect(code).toBe(4);
    expect(err).toContain('RISKY_ORDER The order looks risky.');
  });

  it('that nobody serves is waited for in vain, cancelled, and cancelled it stays', async () => {
    const { out: run } = await kagzi('start', 'nobody-serves-this');
    const waited = await kagzi('result', run, '--timeout', '100ms');
    expect(waited.code).toBe(6);
    expect(waited.err).toMatch(/· PENDING\n/);
    expect(await kagzi('cancel', run, '--reason', 'a mistake')).toMatchObject({ code: 0, out: 'CANCELLED' });
    const result = await kagzi('result', run);
    expect(result).toMatchObject({ code: 5, out: '' });
    expect(result.err).toContain('a mistake');
    expect((await kagzi('cancel', run)).code).toBe(1);
  });
});

describe('the engine from the terminal', () => {
  it.each([
    [['health'], /^SERVING/],
    [['workers'], /^No worker has registered/],
    [['dead-letters'], /^No dead letters/],
  ])('%s', async (argv, expected) => {
    const { code, out } = await kagzi(...argv);
    expect(code).toBe(0);
    expect(out).toMatch(expected);
    expect(JSON.parse((await kagzi(...argv, '--json')).out)).toBeTypeOf('object');
  });

  it('that does not answer is said so, with what to do, and 3', async () => {
    const { code, err } = await kagzi('list', '--url', 'http://127.0.0.1:9');
    expect(code).toBe(3);
    expect(err).toContain('kagzi dev <file>');
  });
});

describe('a line that is wrong', () => {
  it.each([
    [['strat'], 1, 'Did you mean `kagzi start`?'],
    [['start', 'greet', '--inptu', '1'], 1, 'Did you mean `--input`?'],
    [['start'], 1, '<workflow-type> is missing'],
    [['get', NOBODY, 'more'], 1, '"more" is one argument too many'],
    [['start', 'greet', '--input', '{name: 1}'], 1, '--input is no JSON'],
    [['result', NOBODY, '--timeout', 'soon'], 1, '--timeout: "soon" is no duration'],
    [['list', '--limit', '0'], 1, '--limit'],
    [['list', '--url', 'nowhere'], 1, '"nowhere" is no URL of an engine'],
    [['dead-letters', 'redrive'], 1, 'redrive <id>'],
    [['get', NOBODY], 2, 'RUN_NOT_FOUND'],
    [['dead-letters', 'redrive', 'none'], 2, 'DEAD_LETTER_NOT_FOUND'],
  ])('%j', async (argv, expected, words) => {
    const { code, out, err } = await kagzi(...argv);
    expect(out).toBe('');
    expect(err).toContain(words);
    expect(code).toBe(expected);
  });
});

describe('help', () => {
  it('names every command and every exit code', async () => {
    const { code, out } = await kagzi('help');
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    for (const meaning of Object.values(EXIT_MEANINGS)) expect(out).toContain(meaning);
  });

  it('is there for each command, both ways', async () => {
    for (const { name } of COMMANDS) {
      const { out } = await kagzi('help', name);
      expect(out).toMatch(new RegExp(`^kagzi ${name}\\b`));
      expect(await kagzi(name, '--help')).toMatchObject({ code: 0, out });
    }
  });
});
