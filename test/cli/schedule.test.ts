import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { type HttpServer, startHttpServer } from '../../local/http-server.ts';
import { loadSettings } from '../../local/settings.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { deliverControl, type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
let http: HttpServer;
beforeEach(async () => {
  test = await testEngine({ inMemory: true });
  const { settings } = loadSettings({ KAGZI_SERVER_PORT: '0' }, () => '');
  http = await startHttpServer({ settings, handler: new ApiClient(test).handler, clock: test.clock });
});
afterEach(async () => {
  await http.stop(0);
  await test.close();
});

async function kagzi(...argv: readonly string[]) {
  const printed: string[] = [];
  const noted: string[] = [];
  const code = await runCli(['schedule', ...argv], {
    env: { KAGZI_URL: http.url },
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
  });
  return { code, out: printed.join('\n'), err: noted.join('\n') };
}

it('makes, shows, changes, fires and removes a schedule', async () => {
  const made = await kagzi(
    ...['create', 'nightly', '--type', 'report', '--cron', '0 2 * * *; @weekly', '--timezone', 'Europe/Berlin'],
    ...['--overlap', 'skip', '--max-catchup', '3', '--input', '{"region":"eu"}', '--note', 'for the board'],
  );
  expect(made.code).toBe(0);
  expect(made.out).toContain('0 2 * * *; @weekly (Europe/Berlin)');
  expect(JSON.parse((await kagzi('get', 'nightly', '--json')).out)).toMatchObject({
    cron_expr: ['0 2 * * *', '@weekly'],
    max_catchup: 3,
    input: { region: 'eu' },
  });
  expect((await kagzi('update', 'nightly', '--every', '1h', '--offset', '5m', '--cron', '@daily')).out).toContain(
    'every 1h',
  );
  expect((await kagzi('next', 'nightly', '--count', '1')).out).toBe('2027-01-15 08:05:00Z');
  expect((await kagzi('trigger', 'nightly')).out).toMatch(/^started [0-9a-f-]{36}$/);
  expect((await kagzi('trigger', 'nightly')).out).toBe('skipped');
  const range = ['--from', '2027-01-15T01:00:00Z', '--to', '2027-01-15T03:00:00Z'];
  expect((await kagzi('backfill', 'nightly', ...range, '--overlap', 'allow_all')).out).toContain('2 times');
  await deliverControl(test.engine);
  expect((await kagzi('history', 'nightly')).out.split('\n')).toHaveLength(5);
  expect((await kagzi('pause', 'nightly', '--reason', 'stocktaking')).out).toContain('PAUSED: stocktaking');
  expect((await kagzi('list', '--status', 'paused')).out).toContain('nightly');
  expect((await kagzi('resume', 'nightly')).out).toContain('SCHEDULED');
  expect((await kagzi('delete', 'nightly')).code).toBe(0);
  expect((await kagzi('get', 'nightly')).code).toBe(2);
  expect((await kagzi('list')).out).toBe('No schedules.');
});

it.each([
  [['fire', 'x'], 'There is no action "fire"'],
  [['get'], 'needs the id of a schedule'],
  [['create', 'x', '--cron', '@daily'], 'needs --type'],
  [['create', 'x', '--type', 'report', '--offset', '5m'], '--offset needs --every'],
  [['create', 'x', '--type', 'report', '--cron', '0 0 30 2 *'], 'never fires'],
  [['backfill', 'x', '--from', 'today', '--to', 'now'], 'is no time'],
  [['backfill', 'x'], 'needs --from and --to'],
  [['list', '--limit', '0'], '--limit'],
])('refuses %j and says why', async (argv, message) => {
  const { code, err } = await kagzi(...argv);
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
});
