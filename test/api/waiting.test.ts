import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../helpers/api-client.ts';
import { hold, register, SHOP, start } from '../helpers/api-driver.ts';
import type { ApiResponse } from '../helpers/api-response.ts';
import { settle } from '../helpers/manual-clock.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
let api: ApiClient;
beforeEach(async () => {
  test = await testEngine();
  api = new ApiClient(test);
});
afterEach(() => test.close());

/** Whether it has been answered, after everything that is ready has run. */
async function watch(pending: Promise<ApiResponse>): Promise<() => Promise<boolean>> {
  let answered = false;
  void pending.then(() => {
    answered = true;
  });
  await settle();
  return async () => {
    await settle();
    return answered;
  };
}

describe('get with wait', () => {
  it.each([
    ['completes', 'complete', { output: 'done' }, 'COMPLETED'],
    ['fails for good', 'fail', { error: { message: 'no', non_retryable: true } }, 'FAILED'],
    ['is cancelled', 'cancel', null, 'CANCELLED'],
  ])('answers when the run %s', async (_how, verb, body, status) => {
    const { path, lease } = await hold(api);
    const pending = api.get(`${path}?wait=20`);
    const answered = await watch(pending);
    await test.clock.advance(19_000);
    expect(await answered()).toBe(false);
    await api.post(`${path}/${verb}`, body === null ? undefined : { lease, ...body });
    expect(await answered()).toBe(true);
    expect((await pending).body).toMatchObject({ status });
  });

  it('does not answer for what is no end', async () => {
    const { path, steps, lease } = await hold(api);
    const pending = api.get(`${path}?wait=20s`);
    const answered = await watch(pending);
    await api.post(`${steps}/begin`, { step_id: 'a', lease });
    await api.post(`${steps}/complete`, { step_id: 'a', lease });
    await api.post(`${path}/sleep`, { lease, step_id: 's', duration_ms: 5_000 });
    expect(await answered()).toBe(false);
    await api.post(`${path}/cancel`);
    expect(await answered()).toBe(true);
    expect((await pending).body).toMatchObject({ status: 'CANCELLED' });
  });

  it.each([
    ['5', 5_000],
    ['5s', 5_000],
    ['0.5', 500],
    ['20', 20_000],
  ])('answers what there is when %s is up', async (wait, ms) => {
    const path = `${SHOP}/runs/${await start(api)}`;
    const pending = api.get(`${path}?wait=${wait}`);
    const answered = await watch(pending);
    await test.clock.advance(ms - 1);
    expect(await answered()).toBe(false);
    await test.clock.advance(1);
    expect(await answered()).toBe(true);
    expect((await pending).body).toMatchObject({ status: 'PENDING' });
  });

  it('answers a run that has ended, an unknown one and a wait of nothing at once', async () => {
    const { path, lease } = await hold(api);
    expect((await api.get(`${path}?wait=0`)).body).toMatchObject({ status: 'RUNNING' });
    await api.post(`${path}/complete`, { lease });
    expect((await api.get(`${path}?wait=20`)).body).toMatchObject({ status: 'COMPLETED' });
    expect((await api.get(`${path.replace(/....$/, '0000')}?wait=20`)).status).toBe(404);
  });

  it('ends when nobody waits for the answer any more', async () => {
    const gone = new AbortController();
    const pending = api.get(`${SHOP}/runs/${await start(api)}?wait=20`, { signal: gone.signal });
    const answered = await watch(pending);
    expect(await answered()).toBe(false);
    gone.abort();
    expect(await answered()).toBe(true);
    expect(test.clock.sleeping).toBe(0);
  });
});

describe('poll', () => {
  const poll = (worker_id: string, timeout_secs: number, signal?: AbortSignal) =>
    api.post(`${SHOP}/task-queues/default/poll`, { worker_id, timeout_secs }, signal === undefined ? {} : { signal });

  it('answers when a run comes', async () => {
    const pending = poll(await register(api), 20);
    const answered = await watch(pending);
    await test.clock.advance(10_000);
    expect(await answered()).toBe(false);
    const run_id = await start(api);
    expect(await answered()).toBe(true);
    expect((await pending).body).toMatchObject({ task: { run_id } });
  });

  it('answers with none when the time is up', async () => {
    const pending = poll(await register(api), 2);
    const answered = await watch(pending);
    await test.clock.advance(1_000);
    expect(await answered()).toBe(false);
    await test.clock.advance(1_000);
    expect(await answered()).toBe(true);
    expect((await pending).body).toMatchObject({ task: null });
  });

  it('takes no run for a caller that has gone', async () => {
    const gone = new AbortController();
    const pending = poll(await register(api), 20, gone.signal);
    const answered = await watch(pending);
    gone.abort();
    expect(await answered()).toBe(true);
    const runId = await start(api);
    expect((await api.get(`${SHOP}/runs/${runId}`)).body).toMatchObject({ status: 'PENDING' });
    expect(test.clock.sleeping).toBe(0);
  });
});
