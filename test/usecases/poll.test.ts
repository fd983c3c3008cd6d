import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drainEngine } from '../../shared/usecases/drain-engine.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { beat, poll, register, start, startAndTake, take, takeOrNone } from '../helpers/worker-driver.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

describe('polling', () => {
  it('gives out only the types and the namespace of the worker', async () => {
    await start(test, { workflowType: 'refund' });
    await start(test, { namespace: 'bank' });
    expect(await takeOrNone(test)).toBeNull();
    const refunds = await register(test, { workflowTypes: ['order', 'refund'] });
    expect(await poll(test, refunds, { workflowTypes: ['order'] })).toBeNull();
    expect(await poll(test, refunds)).toMatchObject({ run: { workflowType: 'refund' } });
  });

  it('is refused for types and queues the worker is not registered for', async () => {
    const worker = await register(test);
    const refused = { code: 'INVALID_ARGUMENT' };
    await expect(poll(test, worker, { workflowTypes: ['refund'] })).rejects.toMatchObject(refused);
    await expect(poll(test, worker, { taskQueue: 'slow' })).rejects.toMatchObject(refused);
  });

  it('waits for a run, and takes it when it comes', async () => {
    const worker = await register(test);
    const waiting = poll(test, worker, { timeoutMs: 20_000 });
    await test.clock.advance(5_000);
    const run = await start(test);
    expect((await waiting)?.run.runId).toBe(run.runId);
  });

  it('of a full worker waits its time out and takes nothing', async () => {
    const worker = await register(test, { maxConcurrent: 1 });
    const { lease } = await startAndTake(test, {}, worker);
    await beat(test, worker, [lease]);
    await start(test);
    let answer: unknown = 'none yet';
    const waiting = poll(test, worker, { timeoutMs: 20_000 }).then((task) => {
      answer = task;
    });
    await test.clock.advance(19_000);
    expect(answer).toBe('none yet');
    await test.clock.advance(1_000);
    await waiting;
    expect(answer).toBeNull();
    expect(await test.queue.depth('default')).toMatchObject({ ready: 1 });
  });

  it('stops while the engine drains, and heartbeats ask workers to finish', async () => {
    const worker = await register(test);
    const { lease } = await startAndTake(test, {}, worker);
    await drainEngine(test.engine, true);
    const run = await start(test);
    await expect(poll(test, worker)).rejects.toMatchObject({ code: 'ENGINE_DRAINING' });
    expect(await beat(test, worker, [lease])).toMatchObject({ accepted: true, shouldDrain: true, lost: [] });
    await drainEngine(test.engine, false);
    expect((await take(test, worker)).run.runId).toBe(run.runId);
    expect(await beat(test, worker, [lease])).toMatchObject({ shouldDrain: false });
  });
});
