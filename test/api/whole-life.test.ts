import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES, routeKey } from '../../functions/api/routes.ts';
import { PortError } from '../../shared/ports/port-error.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { bury, hold, register, SHOP, start, take } from '../helpers/api-driver.ts';
import { tableWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

// One engine and one client for the whole file: the last test looks at everything the others have called.
const HISTORY = {
  intervalMs: 10_000,
  endAt: 20_000,
  counters: { runs_started: [null, 2] },
  gauges: { queue_ready: [0, 1.5] },
};

let test: TestEngine;
let api: ApiClient;
let broken = false;
beforeAll(async () => {
  test = await testEngine({
    wrap: (parts) => ({
      ...parts,
      table: tableWith(parts.table, {
        get: async (key, options) => {
          if (broken) throw new PortError('unavailable', 'the disk is gone');
          return parts.table.get(key, options);
        },
      }),
    }),
  });
  const metrics = async () => ({ contentType: 'text/plain; version=0.0.4', text: 'kagzi_up 1\n' });
  api = new ApiClient(test, { service: { metrics, metricsHistory: () => HISTORY } });
});
afterAll(() => test.close());

it('takes a run from its start to its deletion', async () => {
  const input = { sku: 'tea', count: 2 };
  const started = await api.post(`${SHOP}/runs`, { workflow_type: 'order', external_id: 'o-1', version: '7', input });
  expect(started).toMatchObject({ status: 201, body: { already_exists: false, status: 'PENDING' } });
  const again = await api.post(`${SHOP}/runs`, { workflow_type: 'order', external_id: 'o-1', input: 'other' });
  expect(again).toMatchObject({ status: 200, body: { already_exists: true, status: 'PENDING' } });

  const workerId = await register(api, { name: 'w', hostname: 'here', pid: 7, labels: { zone: 'a' } });
  const polled = await api.post(`${SHOP}/task-queues/default/poll`, { worker_id: workerId, timeout_secs: 0 });
  expect(polled.body).toMatchObject({
    task: { workflow_type: 'order', version: '7', external_id: 'o-1', attempts: 1, input, history: { steps: [] } },
  });
  const { run_id: runId, lease } = (polled.body as { readonly task: { readonly run_id: string; lease: string } }).task;
  expect(started.body).toMatchObject({ run_id: runId });
  const run = `${SHOP}/runs/${runId}`;

  const begun = await api.post(`${run}/steps/begin`, { step_id: 'charge', lease, input: 1, kind: 'STEP' });
  expect(begun.body).toMatchObject({ should_execute: true, input_changed: false, step: { kind: 'FUNCTION' } });
  expect(begun.body).not.toHaveProperty('cached_output');
  const completed = await api.post(`${run}/steps/complete`, { step_id: 'charge', lease, output: 'paid' });
  expect(completed.body).toMatchObject({ step_id: 'charge', status: 'COMPLETED', attempt: 1 });
  const cached = await api.post(`${run}/steps/begin`, { step_id: 'charge', lease, input: 2 });
  expect(cached.body).toMatchObject({ should_execute: false, cached_output: 'paid', input_changed: true });

  const beat = { runs: [{ run_id: runId, lease }], completed_delta: 1 };
  expect((await api.post(`${SHOP}/workers/${workerId}/heartbeat`, beat)).body).toEqual({
    accepted: true,
    should_drain: false,
    lost_runs: [],
    arrived_runs: [],
    server_time: new Date(test.clock.now()).toISOString(),
  });
  expect((await api.get(run)).body).toMatchObject({ status: 'RUNNING', locked_by: workerId, input });
  expect((await api.get(`${SHOP}/workers/${workerId}`)).body).toMatchObject({ run_ids: [runId], total_completed: 1 });
  expect((await api.get(`${SHOP}/workers?include_total_count=true`)).body).toMatchObject({ total_count: 1 });

  const waiting = api.get(`${run}?wait=5s&include=cost`);
  const done = await api.post(`${run}/complete`, { lease, output: { ok: true } });
  expect(done.body).toMatchObject({ run_id: runId, status: 'COMPLETED', locked_by: null });
  expect((await waiting).body).toMatchObject({ status: 'COMPLETED', output: { ok: true }, cost: { queue_calls: 3 } });

  const listed = await api.get(`${SHOP}/runs?class=COMPLETED&workflow_type=order&include_total_count=true`);
  expect(listed.body).toMatchObject({ runs: [{ run_id: runId }], next_page_token: null, total_count: 1 });
  const steps = [{ step_id: 'charge', input: 1, output: 'paid', late: false }];
  expect((await api.get(`${run}/steps`)).body).toMatchObject({ steps, next_page_token: null });
  expect((await api.get(`${run}/step?step_id=charge`)).body).toMatchObject({ ...steps[0] });
  expect((await api.get(`${run}/export`)).body).toMatchObject({
    format: 'kagzi-run/1',
    run: { run_id: runId, input, output: { ok: true } },
    steps,
  });

  expect((await api.delete(run)).status).toBe(204);
  expect((await api.get(run)).status).toBe(404);
  expect((await api.get(`${SHOP}/runs`)).body).toMatchObject({ runs: [] });
  expect((await api.post(`${SHOP}/workers/${workerId}/deregister`)).body).toMatchObject({ status: 'OFFLINE' });
});

it('tries a step and a run again, puts a run to sleep and cancels it', async () => {
  const { path, steps, lease, workerId } = await hold(api);
  await api.post(`${steps}/begin`, { step_id: 'a', lease, retry_policy: { kind: 'fixed', interval_ms: 2_000 } });
  const failed = await api.post(`${steps}/fail`, { step_id: 'a', lease, error: { code: 'E', message: 'no' } });
  const next_retry_at = new Date(test.clock.now() + 2_000).toISOString();
  expect(failed.body).toMatchObject({ scheduled_retry: true, next_retry_at, step: { status: 'PENDING', attempt: 2 } });
  await test.clock.advance(2_000);
  const second = await take(api, workerId);
  const undone = await api.post(`${path}/fail`, { lease: second.lease, error: { message: 'no', retry_after_ms: 9 } });
  expect(undone.body).toMatchObject({ scheduled_retry: true, run: { status: 'PENDING', attempts: 2 } });
  await test.clock.advance(1_000);
  const third = await take(api, workerId);
  const asleep = await api.post(`${path}/sleep`, { lease: third.lease, step_id: 'nap', duration_ms: 60_000 });
  const wake_at = new Date(test.clock.now() + 60_000).toISOString();
  expect(asleep.body).toEqual({ step_id: 'nap', wake_at, elapsed: false, status: 'SLEEPING' });
  const cancelled = await api.post(`${path}/cancel`, { reason: 'enough' });
  expect(cancelled.body).toMatchObject({ status: 'CANCELLED', cancel_reason: 'enough' });
});

it('puts a run down and back, tells it of its cancellation and lets it end', async () => {
  const first = await hold(api);
  const { path, steps, step, workerId } = first;
  const until = new Date(test.clock.now() + 60_000).toISOString();
  const slept = { lease: first.lease, kind: 'SLEEP', position: 0, wake_at: until };
  expect((await api.post(`${steps}/begin`, { step_id: 'nap', ...slept })).body).toMatchObject({
    should_execute: true,
    step: { kind: 'SLEEP', status: 'RUNNING', wake_at: until, position: 0, order: null },
  });
  const later = { ...slept, wake_at: new Date(test.clock.now() + 90_000).toISOString() };
  expect((await api.post(`${steps}/begin`, { step_id: 'nap', ...later })).body).toMatchObject({
    step: { wake_at: until },
  });
  expect((await api.post(`${steps}/observe`, { step_id: 'nap', lease: first.lease, order: 3 })).status).toBe(204);
  expect((await api.get(step('nap'))).body).toMatchObject({ position: 0, order: 3 });

  const wait = { lease: first.lease, until, status: 'SLEEPING', arrivals: 0 };
  for (const _ of ['asked', 'asked again']) {
    expect((await api.post(`${path}/suspend`, wait)).body).toEqual({ suspended: true });
  }
  await test.clock.advance(60_000);
  const second = await take(api, workerId);
  for (const _ of ['asked', 'asked again']) {
    expect((await api.post(`${path}/release`, { lease: second.lease, delay_ms: 5_000 })).status).toBe(204);
  }
  await test.clock.advance(5_000);
  const { lease } = await take(api, workerId);

  expect((await api.post(`${path}/inbox`, { lease })).body).toEqual({ count: 0, arrivals: [] });
  expect((await api.post(`${path}/cancelled`, { lease })).status).toBe(409);
  await api.post(`${path}/cancel`, { reason: 'enough', grace_ms: 30_000 });
  const named = { run_id: first.runId, lease };
  const beats = [named, { ...named, inbox_read: 0 }, { ...named, inbox_read: 1 }];
  const arrived: unknown[] = [];
  for (const run of beats) {
    const beat = await api.post(`${SHOP}/workers/${workerId}/heartbeat`, { runs: [run] });
    arrived.push((beat.body as { readonly arrived_runs: unknown }).arrived_runs);
  }
  expect(arrived).toEqual([[], [first.runId], []]);
  const grace = new Date(test.clock.now() + 30_000).toISOString();
  const arrivals = [{ what: 'cancel', reason: 'enough', until: grace }];
  expect((await api.post(`${path}/inbox`, { lease })).body).toEqual({ count: 1, arrivals });
  expect((await api.post(`${path}/suspend`, { ...wait, lease })).body).toEqual({ suspended: false });
  for (const _ of ['asked', 'asked again']) {
    const ended = await api.post(`${path}/cancelled`, { lease, reason: 'enough' });
    expect(ended.body).toMatchObject({ status: 'CANCELLED', cancel_reason: 'enough' });
  }
});

it('links a child to the step that started it', async () => {
  const { runId, lease, step } = await hold(api);
  const child = await start(api, { parent: { run_id: runId, step_id: 'kid', lease, position: 4 } });
  const recorded = { kind: 'CHILD_WORKFLOW', child_run_id: child, position: 4 };
  expect((await api.get(step('kid'))).body).toMatchObject(recorded);
  expect((await api.get(`${SHOP}/runs/${child}`)).body).toMatchObject({ parent: { run_id: runId, step_id: 'kid' } });
});

it('shows queues, namespaces and dead letters, and sends a dead letter again', async () => {
  const runId = await start(api);
  const id = await bury(test, api);
  expect((await api.get(`${SHOP}/task-queues`)).body).toMatchObject({ task_queues: [{ name: 'default' }] });
  expect((await api.get(`${SHOP}/workflow-types`)).body).toMatchObject({ complete: false });
  expect((await api.get('/v1/namespaces')).body).toMatchObject({ namespaces: [{ name: 'shop' }] });
  const sent = await api.post(`${SHOP}/dead-letters/${id}/redrive`);
  expect(sent.body).toMatchObject({ id, task_queue: 'default', workflow_type: 'order' });
  expect(typeof (sent.body as { readonly run_id: string }).run_id).toBe('string');
  expect((await api.get(`${SHOP}/dead-letters`)).body).toEqual({ dead_letters: [], next_page_token: null });
  expect((await api.get(`${SHOP}/runs/${runId}`)).body).toMatchObject({ status: 'PENDING' });
});

it('makes, changes, fires and removes a schedule', async () => {
  const all = `${SHOP}/schedules`;
  const one = `${all}/nightly`;
  const fields = { schedule_id: 'nightly', request_id: 'r', workflow_type: 'order', cron_expr: '@daily' };
  expect([(await api.post(all, fields)).status, (await api.post(all, fields)).status]).toEqual([201, 200]);
  expect((await api.get(all)).body).toMatchObject({ schedules: [{ schedule_id: 'nightly' }] });
  expect((await api.send('PATCH', one, { note: 'n' })).body).toMatchObject({ revision: 2 });
  expect((await api.post(`${one}/pause`)).body).toMatchObject({ status: 'PAUSED' });
  expect((await api.post(`${one}/resume`)).body).toMatchObject({ status: 'SCHEDULED' });
  expect((await api.post(`${one}/trigger`)).body).toMatchObject({ outcome: 'started' });
  const range = { from: '2027-01-01T00:00:00Z', to: '2027-01-02T00:00:00Z' };
  expect((await api.post(`${one}/backfill`, range)).body).toMatchObject({ fires: 2 });
  expect((await api.get(`${one}/next?count=1`)).body).toEqual({ fire_times: ['2027-01-16T00:00:00.000Z'] });
  const spec = { cron_expr: '0 9 * * 1-5', timezone: 'Europe/Berlin', count: 2 };
  expect((await api.post(`${all}/preview`, spec)).body).toEqual({
    fire_times: ['2027-01-18T08:00:00.000Z', '2027-01-19T08:00:00.000Z'],
  });
  expect((await api.get(`${one}/history`)).body).toMatchObject({ fires: [{ kind: 'trigger' }] });
  expect((await api.get(one)).body).toMatchObject({ fired: 1 });
  expect((await api.delete(one)).status).toBe(204);
});

it('tells of itself, drains, and says when its store is gone', async () => {
  expect((await api.get('/info')).body).toMatchObject({ version: '1.2.3', api_version: 'v1' });
  expect((await api.get('/metrics')).body).toBe('kagzi_up 1\n');
  expect((await api.get('/metrics/history')).body).toEqual({
    interval_ms: 10_000,
    end_at: '1970-01-01T00:00:20.000Z',
    counters: { runs_started: [null, 2] },
    gauges: { queue_ready: [0, 1.5] },
  });
  expect((await api.get('/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
  expect((await api.get('/health')).body).toMatchObject({ status: 'SERVING' });
  expect((await api.get('/ready')).body).toEqual({ ready: true, reasons: [] });
  expect((await api.post('/admin/drain')).body).toEqual({ draining: true });
  expect(await api.get('/ready')).toMatchObject({ status: 503, body: { ready: false } });
  expect(await api.get('/health')).toMatchObject({ status: 200 });
  expect((await api.post('/admin/drain', { drain: false })).body).toEqual({ draining: false });
  broken = true;
  const down = { status: 'NOT_SERVING', message: 'The store does not answer.' };
  expect(await api.get('/health')).toMatchObject({ status: 503, body: down });
  expect(await api.get('/ready')).toMatchObject({ status: 503, body: { ready: false, reasons: [down.message] } });
  broken = false;
});

it('was called on every route, with every answer that the route declares', () => {
  const declared = ROUTES.flatMap((call) => Object.keys(call.answers).map((status) => `${routeKey(call)} ${status}`));
  expect(declared.filter((answer) => !api.answered.has(answer))).toEqual([]);
});
