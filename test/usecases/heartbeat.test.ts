import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Worker } from '../../shared/model/worker.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { getWorker } from '../../shared/usecases/get-worker.ts';
import { heartbeat } from '../../shared/usecases/heartbeat.ts';
import type { RunLease } from '../../shared/usecases/lease.ts';
import type { Task } from '../../shared/usecases/poll-task.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { beat, headOf, register, startAndTake } from '../helpers/worker-driver.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

const seen = (worker: Worker): Promise<Worker> => getWorker(test.engine, worker.namespace, worker.workerId);

describe('a heartbeat', () => {
  it('keeps runs for as long as it is heard', async () => {
    const worker = await register(test);
    const { run, lease } = await startAndTake(test, {}, worker);
    for (let beats = 0; beats < 12; beats++) {
      expect(await beat(test, worker, [lease])).toEqual({ accepted: true, shouldDrain: false, lost: [], arrived: [] });
      await test.passes(10_000);
    }
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING', epoch: 1, stalls: 0 });
    await completeRun(test.engine, lease, '1');
  });

  it('does not keep a run that it leaves out', async () => {
    const worker = await register(test);
    const { run } = await startAndTake(test, {}, worker);
    for (let beats = 0; beats < 4; beats++) {
      await beat(test, worker, []);
      await test.passes(10_000);
    }
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', epoch: 2 });
    expect(await seen(worker)).toMatchObject({ status: 'ONLINE' });
  });

  it('tells of runs that are cancelled, taken over, finished or unknown', async () => {
    const worker = await register(test);
    const tasks: Task[] = [];
    for (let n = 0; n < 4; n++) tasks.push(await startAndTake(test, {}, worker));
    const [held, cancelled, finished, other] = tasks.map((task) => task.lease) as [
      RunLease,
      RunLease,
      RunLease,
      RunLease,
    ];
    await cancelRun(test.engine, cancelled, null);
    await completeRun(test.engine, finished, '1');
    const stranger = { ...held, runId: '018f0000-0000-7000-8000-000000000000' };
    const forged = { ...other, token: 'forged' };
    const answer = await beat(test, worker, [held, cancelled, finished, forged, stranger]);
    expect(answer).toEqual({
      accepted: true,
      shouldDrain: false,
      lost: [
        { runId: cancelled.runId, status: 'CANCELLED' },
        { runId: finished.runId, status: 'COMPLETED' },
        { runId: forged.runId, status: 'RUNNING' },
        { runId: stranger.runId, status: null },
      ],
      arrived: [],
    });
    expect((await seen(worker)).runs).toEqual([held.runId]);
  });

  it('writes as often with 100 runs as with none, and within two units', async () => {
    const worker = await register(test);
    const leases: RunLease[] = [];
    for (let n = 0; n < 100; n++) leases.push((await startAndTake(test, {}, worker)).lease);
    const cost = async (held: readonly RunLease[]) => {
      test.table.reset();
      expect(await beat(test, worker, held)).toMatchObject({ accepted: true, lost: [] });
      const { writeUnits, calls } = test.table.snapshot();
      return { writeUnits, writes: calls.put + calls.update + calls.delete + calls.batchWrite + calls.transact };
    };
    expect(await cost([])).toMatchObject({ writes: 1 });
    await cost(leases);
    const full = await cost(leases);
    expect(full.writes).toBe(1);
    expect(full.writeUnits).toBeLessThanOrEqual(2);
    expect((await seen(worker)).runs).toHaveLength(100);
  });

  it('adds up what the worker reports', async () => {
    const worker = await register(test);
    const request = { namespace: 'shop', workerId: worker.workerId, leases: [] };
    await heartbeat(test.engine, { ...request, activeCount: 3, completedDelta: 2, failedDelta: 1 });
    await heartbeat(test.engine, { ...request, completedDelta: 5 });
    expect(await seen(worker)).toMatchObject({ completed: 7, failed: 1, activeCount: 0 });
    expect(test.telemetry.counts.get('worker_heartbeats')).toBe(2);
  });

  it('of an unknown worker is refused', async () => {
    const request = { namespace: 'bank', workerId: (await register(test)).workerId, leases: [] };
    await expect(heartbeat(test.engine, request)).rejects.toMatchObject({ code: 'WORKER_NOT_FOUND' });
  });
});
