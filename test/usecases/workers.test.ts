import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Worker } from '../../shared/model/worker.ts';
import type { Table } from '../../shared/ports/table.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { deregisterWorker } from '../../shared/usecases/deregister-worker.ts';
import { getWorker } from '../../shared/usecases/get-worker.ts';
import { listWorkers } from '../../shared/usecases/list-workers.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { tableWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { beat, headOf, poll, register, startAndTake, take } from '../helpers/worker-driver.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

const seen = (worker: Worker): Promise<Worker> => getWorker(test.engine, worker.namespace, worker.workerId);
const deregister = (worker: Worker, drain: boolean): Promise<Worker> =>
  deregisterWorker(test.engine, { namespace: worker.namespace, workerId: worker.workerId, drain: drain, leases: [] });

describe('registering', () => {
  const SAME = { hostname: 'here', pid: 7 };

  it('anew with the same host and pid ends the former session, and its runs come back at once', async () => {
    const former = await register(test, SAME);
    const { run, lease } = await startAndTake(test, {}, former);
    await beat(test, former, [lease]);
    const reborn = await register(test, SAME);
    expect(reborn.workerId).not.toBe(former.workerId);
    expect(await seen(former)).toMatchObject({ status: 'OFFLINE', runs: [] });
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', availableAt: test.clock.now() });
    expect((await take(test, reborn)).run.runId).toBe(run.runId);
    await expect(completeRun(test.engine, lease, '1')).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it.each([
    ['another pid', { ...SAME, pid: 8 }],
    ['another host', { ...SAME, hostname: 'there' }],
    ['another task queue', { ...SAME, taskQueue: 'slow' }],
    ['another namespace', { ...SAME, namespace: 'bank' }],
    ['neither host nor pid', {}],
  ])('with %s leaves the other session alone', async (_what, other) => {
    const first = await register(test, SAME);
    await register(test, other);
    expect(await seen(first)).toMatchObject({ status: 'ONLINE' });
  });

  it('lists workers by queue and status, page by page, with a total', async () => {
    for (let n = 0; n < 5; n++) await register(test, { taskQueue: n % 2 === 0 ? 'default' : 'slow' });
    const query = { namespace: 'shop', taskQueue: 'default', status: 'ONLINE', pageSize: 2 } as const;
    const first = await listWorkers(test.engine, { ...query, includeTotalCount: true });
    expect(first).toMatchObject({ workers: [{}, {}], total: { count: 3, capped: false } });
    const second = await listWorkers(test.engine, { ...query, pageToken: first.nextPageToken ?? '' });
    const ids = [...first.workers, ...second.workers].map((worker) => worker.workerId);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('deregistering', () => {
  it('with drain lets the worker finish what it holds, and the second time makes it OFFLINE', async () => {
    const worker = await register(test);
    const { run, lease } = await startAndTake(test, {}, worker);
    await beat(test, worker, [lease]);
    expect(await deregister(worker, true)).toMatchObject({ status: 'DRAINING' });
    expect(await beat(test, worker, [lease])).toMatchObject({ accepted: true, shouldDrain: true, lost: [] });
    await expect(poll(test, worker)).rejects.toMatchObject({ code: 'WORKER_DRAINING' });
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING' });
    expect(await deregister(worker, true)).toMatchObject({ status: 'OFFLINE', runs: [] });
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING' });
    await expect(poll(test, worker)).rejects.toMatchObject({ code: 'WORKER_OFFLINE' });
    expect(await beat(test, worker, [lease])).toMatchObject({ accepted: false, shouldDrain: true });
    expect(await deregister(worker, true)).toMatchObject({ status: 'OFFLINE' });
  });

  it('without drain ends it at once and gives its runs back', async () => {
    const worker = await register(test);
    const { run, lease } = await startAndTake(test, {}, worker);
    await beat(test, worker, [lease]);
    expect(await deregister(worker, false)).toMatchObject({ status: 'OFFLINE', deregisteredAt: test.clock.now() });
    expect((await take(test)).run).toMatchObject({ runId: run.runId, epoch: 3 });
  });
});

describe('a worker that goes silent', () => {
  it('and is heard just before it is given up stays ONLINE', async () => {
    const worker = await register(test);
    await test.clock.advance(31_000);
    const { table } = test.engine;
    const get: Table['get'] = async (key, options) => {
      const found = await table.get(key, options);
      if (key.sk === worker.workerId) await beat(test, worker, []);
      return found;
    };
    await watchdogTick({ ...test.engine, table: tableWith(table, { get }) });
    expect(await seen(worker)).toMatchObject({ status: 'ONLINE', heartbeatAt: test.clock.now() });
  });

  it('is OFFLINE after 30 seconds, and its runs are dispatched again', async () => {
    const worker = await register(test);
    const { run, lease } = await startAndTake(test, {}, worker);
    await test.passes(5_000);
    await beat(test, worker, [lease]);
    await test.passes(29_000);
    expect(await seen(worker)).toMatchObject({ status: 'ONLINE' });
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING' });
    await test.passes(2_000);
    expect(await seen(worker)).toMatchObject({ status: 'OFFLINE' });
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', stalls: 1 });
    expect((await take(test)).run.runId).toBe(run.runId);
    test.table.reset();
    await watchdogTick(test.engine);
    expect(test.table.snapshot().calls.update).toBe(0);
  });
});
