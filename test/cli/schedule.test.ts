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

const kagzi = (...argv: readonly string[]) => call('schedule', ...argv);
const list = (...argv: readonly string[]) => call('list', ...argv);

async function call(...argv: readonly string[]) {
  const printed: string[] = [];
  const noted: string[] = [];
  const code = await runCli([...argv], {
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
  expect(made.err).toBe('');
  expect(JSON.parse((await kagzi('get', 'nightly', '--json')).out)).toMatchObject({
    cron_expr: ['0 2 * * *', '@weekly'],
    max_catchup: 3,
    input: { region: 'eu' },
  });
  expect((await kagzi('update', 'nightly', '--every', '1h', '--offset', '5m', '--cron', '@daily')).out).toContain(
    '@daily; every 1h, offset 5m (Europe/Berlin)',
  );
  expect((await kagzi('next', 'nightly', '--count', '1')).out).toBe(
    '2027-01-15 08:05:00Z (2027-01-15 09:05:00 Europe/Berlin)',
  );
  expect((await kagzi('trigger', 'nightly')).out).toMatch(/^started [0-9a-f-]{36}$/);
  expect((await kagzi('trigger', 'nightly')).out).toBe('skipped');
  const range = ['--from', '2027-01-15T01:00:00Z', '--to', '2027-01-15T03:00:00Z'];
  expect((await kagzi('backfill', 'nightly', ...range, '--overlap', 'allow_all')).out).toContain('2 times');
  await deliverControl(test.engine);
  expect((await kagzi('history', 'nightly')).out.split('\n')).toHaveLength(5);
  expect((await kagzi('pause', 'nightly', '--reason', 'stocktaking')).out).toContain('PAUSED: stocktaking');
  expect((await kagzi('next', 'nightly')).err).toBe('nightly is paused: it fires at none of them until it is resumed.');
  expect((await kagzi('list', '--status', 'paused')).out).toContain('nightly');
  expect((await kagzi('resume', 'nightly')).out).toContain('SCHEDULED');
  expect((await kagzi('delete', 'nightly')).code).toBe(0);
  expect((await kagzi('get', 'nightly')).code).toBe(2);
  expect((await kagzi('list')).out).toBe('No schedules.');
});

it('gives runs a retry policy, takes parts of a schedule away again and tells what waits', async () => {
  const made = await kagzi(
    ...['create', 'x', '--type', 'report', '--every', '1h', '--retry', '5', '--note', 'n', '--overlap', 'buffer_all'],
    ...['--start', '2027-01-15', '--end', '2028-01-01', '--jitter', '5m', '--input', '{"region":"eu"}'],
  );
  for (const shown of [
    'from      2027-01-15 00:00:00Z',
    'until     2028-01-01 00:00:00Z',
    'jitter    up to 5m',
    'catch-up  the newest 100 of the last 365d',
  ]) {
    expect(made.out).toContain(shown);
  }
  const policy = { kind: 'exponential', maximum_attempts: 5, initial_interval_ms: 1_000 };
  expect(JSON.parse((await kagzi('get', 'x', '--json')).out)).toMatchObject({ retry_policy: policy });
  for (const _ of [1, 2]) await kagzi('trigger', 'x');
  expect((await kagzi('get', 'x')).out).toMatch(/running {3}[0-9a-f-]{36}\nwaiting {3}1 for the end of that run/);
  const none = ['--every', '--input', '--retry', '--start', '--end', '--note'].flatMap((name) => [name, 'none']);
  const changed = await kagzi('update', 'x', '--cron', '@daily', ...none, '--json');
  expect(JSON.parse(changed.out)).toMatchObject({
    cron_expr: ['@daily'],
    intervals: [],
    start_at: null,
    end_at: null,
    note: null,
    retry_policy: { maximum_attempts: 3 },
  });
  expect(JSON.parse((await kagzi('get', 'x', '--json')).out)).not.toHaveProperty('input');
  const { out } = await list('--schedule', 'x', '--json');
  expect((JSON.parse(out) as { runs: unknown[] }).runs).toHaveLength(1);
});

it('says when a schedule would fire that is not there', async () => {
  const { out } = await kagzi('next', '--cron', '30 9 * * *', '--timezone', 'Asia/Tokyo', '--count', '2');
  expect(out.split('\n')).toEqual([
    '2027-01-16 00:30:00Z (2027-01-16 09:30:00 Asia/Tokyo)',
    '2027-01-17 00:30:00Z (2027-01-17 09:30:00 Asia/Tokyo)',
  ]);
});

it.each([
  [['next'], 'needs the id of a schedule, or --cron or --every'],
  [['next', 'x', '--cron', '@daily'], 'the id of a schedule or --cron, not both'],
  [['list', 'x'], 'takes no id: kagzi schedule get x shows one'],
  [['trigger', 'x', '--input', '{}'], '--input means nothing to kagzi schedule trigger, only to create, update'],
  [['create', 'x', '--type', 'report', '--cron', '0', '2', '*', '*', '*'], 'a value with spaces needs quotes'],
  [['update', 'x'], 'There is nothing to change'],
  [
    ['create', 'x', '--type', 'report', '--cron', '@daily', '--retry', 'often'],
    'neither a number of attempts nor JSON',
  ],
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
