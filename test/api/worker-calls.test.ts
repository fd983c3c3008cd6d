import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiClient } from '../helpers/api-client.ts';
import { hold, register, SHOP, start, take } from '../helpers/api-driver.ts';
import { queueWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
let api: ApiClient;
let received: () => void;
beforeEach(async () => {
  received = () => undefined;
  test = await testEngine({
    wrap: (parts) => ({
      ...parts,
      queue: queueWith(parts.queue, {
        receive: async (name, options) => {
          const deliveries = await parts.queue.receive(name, options);
          received();
          return deliveries;
        },
      }),
    }),
  });
  api = new ApiClient(test);
});
afterEach(() => test.close());

it('a task says all that its workflow may ask about the run', async () => {
  const parent = await hold(api, { task_queue: 'default', retry_policy: { kind: 'none' } });
  const link = { run_id: parent.runId, step_id: 'kid', lease: parent.lease };
  await start(api, { parent: link, external_id: 'kid-1', input: 1 });
  const body = { worker_id: parent.workerId, timeout_secs: 0 };
  const { task } = (await api.post(`${SHOP}/task-queues/default/poll`, body)).body as { task: Record<string, unknown> };
  expect(task).toMatchObject({
    task_queue: 'default',
    external_id: 'kid-1',
    schedule_id: null,
    parent_run_id: parent.runId,
    retry_policy: { kind: 'exponential', maximum_attempts: 3 },
    started_at: new Date(test.clock.now()).toISOString(),
    inbox: 0,
  });
  expect(String(task['lease']).startsWith(`${String(task['incarnation'])}.`)).toBe(true);
  await api.post(`${SHOP}/runs/${String(task['run_id'])}/complete`, { lease: task['lease'], output: 1 });
  const arrivals = [{ what: 'child-ended', step_id: 'kid', child_run_id: task['run_id'], status: 'COMPLETED' }];
  const inbox = await api.post(`${parent.path}/inbox`, { lease: parent.lease });
  expect(inbox.body).toEqual({ count: 1, arrivals });
});

it('a start under another lease is taken over, unless the step may run at most once', async () => {
  const first = await hold(api);
  const { path, steps, workerId } = first;
  await api.post(`${steps}/begin`, { step_id: 'charge', lease: first.lease, at_most_once: true });
  const again = await api.post(`${steps}/begin`, { step_id: 'charge', lease: first.lease, at_most_once: true });
  expect(again.body).toMatchObject({ should_execute: true });
  await api.post(`${path}/release`, { lease: first.lease });
  const { lease } = await take(api, workerId);
  const refused = await api.post(`${steps}/begin`, { step_id: 'charge', lease, at_most_once: true });
  expect(refused.body).toMatchObject({ should_execute: false, step: { status: 'RUNNING' } });
  expect((await api.post(`${steps}/begin`, { step_id: 'charge', lease })).body).toMatchObject({ should_execute: true });
});

it('a sleep begun by its length ends by the clock of the engine, which every worker is told', async () => {
  const server_time = new Date(test.clock.now()).toISOString();
  const { steps, lease, workerId } = await hold(api);
  const wake_at = new Date(test.clock.now() + 60_000).toISOString();
  const nap = { lease, kind: 'SLEEP', duration_ms: 60_000 };
  expect((await api.post(`${steps}/begin`, { step_id: 'nap', ...nap })).body).toMatchObject({
    step: { wake_at },
    server_time,
  });
  await test.clock.advance(1_000);
  const later = new Date(test.clock.now()).toISOString();
  expect((await api.post(`${steps}/begin`, { step_id: 'nap', ...nap })).body).toMatchObject({
    step: { wake_at },
    server_time: later,
  });
  const beat = await api.post(`${SHOP}/workers/${workerId}/heartbeat`);
  expect(beat.body).toMatchObject({ server_time: later });
  const polled = await api.post(`${SHOP}/task-queues/default/poll`, { worker_id: workerId, timeout_secs: 0 });
  expect(polled.body).toEqual({ task: null, server_time: later });
  const registered = await api.post(`${SHOP}/workers`, { workflow_types: ['order'] });
  expect(registered.body).toMatchObject({ server_time: later });
});

it('positions and orders are shown as they were given', async () => {
  const { steps, lease } = await hold(api);
  await api.post(`${steps}/begin`, { step_id: 'a', lease, position: 0 });
  expect((await api.post(`${steps}/complete`, { step_id: 'a', lease, order: 2 })).body).toMatchObject({
    position: 0,
    order: 2,
  });
  await api.post(`${steps}/begin`, { step_id: 'b', lease, position: 1 });
  const error = { message: 'no' };
  const retried = { lease, error, order: 3, keep_lease: true, retry_policy: { kind: 'fixed', interval_ms: 5 } };
  expect((await api.post(`${steps}/fail`, { step_id: 'b', ...retried })).body).toMatchObject({
    scheduled_retry: true,
    step: { position: 1, order: null, retry_policy: { kind: 'fixed', interval_ms: 5 } },
  });
  await test.clock.advance(5);
  await api.post(`${steps}/begin`, { step_id: 'b', lease });
  const failed = await api.post(`${steps}/fail`, {
    step_id: 'b',
    lease,
    error,
    order: 4,
    retry_policy: { kind: 'none' },
  });
  expect(failed.body).toMatchObject({ step: { status: 'FAILED', order: 4 } });
  await api.post(`${steps}/begin`, { step_id: 'c', lease });
  await api.post(`${steps}/complete`, { step_id: 'c', lease });
  const recorded = [
    { step_id: 'a', position: 0, order: 2 },
    { step_id: 'b', position: 1, order: 4 },
    { step_id: 'c', position: null, order: null },
  ];
  expect((await api.get(steps)).body).toMatchObject({ steps: recorded });
});

it('a suspension for the next attempt of a step leaves the run PENDING', async () => {
  const { path, lease } = await hold(api);
  const until = new Date(test.clock.now() + 5_000).toISOString();
  const wait = { lease, until, status: 'PENDING', arrivals: 0 };
  expect((await api.post(`${path}/suspend`, wait)).body).toEqual({ suspended: true });
  expect((await api.get(path)).body).toMatchObject({ status: 'PENDING', available_at: until, attempts: 1 });
});

it('a run that nobody waits for any more when it is claimed goes back at once', async () => {
  const runId = await start(api);
  const workerId = await register(api);
  const caller = new AbortController();
  received = () => caller.abort();
  const body = { worker_id: workerId, timeout_secs: 0 };
  const answer = await api.post(`${SHOP}/task-queues/default/poll`, body, { signal: caller.signal });
  expect(answer.body).toMatchObject({ task: null });
  expect((await api.get(`${SHOP}/runs/${runId}`)).body).toMatchObject({ status: 'PENDING' });
});
