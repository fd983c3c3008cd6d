import { expect, it } from 'vitest';
import { HttpApi } from '../../sdk/client/http-api.ts';
import { RunLostError } from '../../sdk/replay/journal.ts';
import { HttpJournal } from '../../sdk/worker/http-journal.ts';
import { ServerClock } from '../../sdk/worker/server-clock.ts';
import type { WireStep, WireTask } from '../../sdk/worker/wire-task.ts';
import type { Clock } from '../../shared/ports/clock.ts';

const trace = { epoch: 1, position: 0, seen: 0, slept: 0, base: { order: 0, epoch: 0 }, order: null };
const step = (given: Partial<WireStep> = {}): WireStep => ({
  step_id: 'a',
  kind: 'FUNCTION',
  status: 'RUNNING',
  traces: [trace],
  attempt: 1,
  started_at: '2030-01-01T00:00:00.000Z',
  finished_at: null,
  next_retry_at: null,
  wake_at: null,
  child_run_id: null,
  child_type: null,
  error: null,
  ...given,
});
const task: WireTask = {
  run_id: 'r',
  incarnation: 'i',
  lease: 'l',
  epoch: 1,
  workflow_type: 'order',
  version: '1',
  task_queue: 'default',
  external_id: null,
  schedule_id: null,
  parent_run_id: null,
  attempts: 1,
  created_at: '2030-01-01T00:00:00.000Z',
  started_at: '2030-01-01T00:00:00.000Z',
  inbox: 0,
  history: { steps: [], next_page_token: null },
};
const stood = { position: 0, seen: 0, slept: 0, base: { order: 0, epoch: 0 } };
const place = { key: 'a', kind: 'FUNCTION', parallelGroup: null, ...stood } as const;
const start = { attempt: 1, visible: false };

interface Told {
  readonly status?: number;
  readonly body: unknown;
  /** How long the answer takes, by which clock. */
  readonly ms?: number;
  readonly by?: 'now' | 'monotonic';
}

/** A journal whose calls are answered as told, in turn; the last answer stays. */
async function journalOf(answers: readonly Told[], given: WireTask = task) {
  const time = { now: 1_000_000, monotonic: 0 };
  const calls: { readonly path: string; readonly body: unknown }[] = [];
  const answer: typeof fetch = async (url, init) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    if (pathname === '/info') return new Response(JSON.stringify({ min_sdk_version: '0.0.1' }));
    const told = answers[Math.min(calls.length, answers.length - 1)];
    calls.push({
      path: pathname.replace('/v1/default', ''),
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : null,
    });
    time[told?.by ?? 'now'] += told?.ms ?? 0;
    return new Response(JSON.stringify(told?.body), { status: told?.status ?? 200 });
  };
  const local: Clock = { now: () => time.now, monotonic: () => time.monotonic, sleep: () => Promise.resolve() };
  const clock = new ServerClock(local);
  const api = new HttpApi({ url: 'http://engine', fetch: answer, attempts: 1 });
  const { signal } = new AbortController();
  return { journal: await HttpJournal.open(api, clock, 'default', given, signal), calls, time, clock };
}

const refused = (code: string, status: number): Told => ({
  status,
  body: { error: { code, message: code, details: {} } },
});
const go = { should_execute: true, step: step() };

it.each(['now', 'monotonic'] as const)('begins again if a begin took a second by %s', async (by) => {
  const { journal, calls } = await journalOf([
    { body: go, ms: 1_000, by },
    { body: go, ms: 999, by },
  ]);
  expect(await journal.begin(place, start)).toBeNull();
  expect(calls).toHaveLength(2);
});

it('starts no body if no begin is answered within a second', async () => {
  const { journal } = await journalOf([{ body: go, ms: 1_001 }]);
  await expect(journal.begin(place, start)).rejects.toThrow('took longer than 1000 ms');
});

it('answers what is recorded instead of a start', async () => {
  const told = [{ ...trace, order: 4 }];
  const completed = step({ status: 'COMPLETED', finished_at: '2030-01-01T00:00:01.000Z', traces: told });
  const { journal } = await journalOf([{ body: { should_execute: false, step: completed, cached_output: { n: 1 } } }]);
  expect(await journal.begin(place, start)).toMatchObject({
    traces: told,
    state: { status: 'COMPLETED', output: '{"n":1}', finishedAt: Date.parse('2030-01-01T00:00:01.000Z') },
  });
});

it('waits a moment for a retry that the clock of the engine calls too early', async () => {
  const next_retry_at = new Date(1_000_000).toISOString();
  const waiting = { should_execute: false, step: step({ status: 'PENDING', next_retry_at }) };
  const { journal, time } = await journalOf([{ body: waiting }]);
  const begun = await journal.begin(place, start);
  expect(begun?.state).toEqual({ status: 'PENDING', nextRetryAt: time.now + 200 });
});

it.each([
  ['LEASE_LOST', 409],
  ['RUN_NOT_FOUND', 404],
])('knows by %s that the run is lost', async (code, status) => {
  const { journal } = await journalOf([refused(code, status)]);
  const calls = [
    () => journal.begin(place, start),
    () => journal.observe(place, 1),
    () => journal.suspend({ at: 1, status: 'SLEEPING', arrivals: 0 }),
    () => journal.completeRun('1'),
    () => journal.cancelRun(null),
    () => journal.release(),
  ];
  for (const call of calls) await expect(call()).rejects.toThrow(RunLostError);
});

it('adopts what somebody else has recorded meanwhile', async () => {
  const theirs = step({ status: 'COMPLETED', finished_at: '2030-01-01T00:00:01.000Z', output: 'theirs' });
  const { journal, calls } = await journalOf([{ body: go }, refused('STEP_FINISHED', 409), { body: theirs }]);
  await journal.begin(place, start);
  const recorded = await journal.complete(place, { output: '"mine"', order: 1, attempt: 1, startedAt: 0 });
  expect(recorded.state).toMatchObject({ output: '"theirs"' });
  expect(calls.map(({ path }) => path)).toEqual(['/runs/r/steps/begin', '/runs/r/steps/complete', '/runs/r/step']);
});

it('reads all pages of a history', async () => {
  const history = { steps: [step()], next_page_token: 'more' };
  const last = {
    steps: [step({ step_id: 'b', wake_at: '2030-01-01T00:00:00.000Z', kind: 'SLEEP', status: 'COMPLETED' })],
  };
  const { journal } = await journalOf([{ body: { ...last, next_page_token: null } }], { ...task, history });
  expect(journal.steps.map(({ key, state }) => [key, state.status])).toEqual([
    ['a', 'RUNNING'],
    ['b', 'SLEEPING'],
  ]);
});

it.each([
  ['is gone', refused('RUN_NOT_FOUND', 404)],
  ['belongs to nobody', { body: { status: 'RUNNING', parent: null, error: null } }],
  ['belongs to another step', { body: { status: 'COMPLETED', parent: { run_id: 'r', step_id: 'b' }, error: null } }],
])('knows no end of a child whose run %s', async (_what, told) => {
  const { journal } = await journalOf([told]);
  expect(await journal.childEnd(place, 'c')).toBeNull();
});

it('records a sleep by its length, and counts by the time that the engine tells', async () => {
  const wake_at = '2030-01-01T00:01:00.000Z';
  const server_time = '2030-01-01T00:00:00.000Z';
  const asleep = step({ kind: 'SLEEP', wake_at });
  const { journal, calls, clock } = await journalOf([{ body: { should_execute: true, step: asleep, server_time } }]);
  const { state } = await journal.sleep({ ...place, kind: 'SLEEP' }, { afterMs: 60_000 });
  expect(calls[0]?.body).toMatchObject({ kind: 'SLEEP', duration_ms: 60_000 });
  expect(calls[0]?.body).not.toHaveProperty('wake_at');
  expect(state).toEqual({ status: 'SLEEPING', wakeAt: Date.parse(wake_at) });
  expect(clock.now()).toBe(Date.parse(server_time));
});
