import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { listNamespaces } from '../../shared/usecases/list-namespaces.ts';
import { listTaskQueues } from '../../shared/usecases/list-task-queues.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { dumpStore } from '../helpers/dump-store.ts';
import { queueWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { register, start, startAndTake, take, takeOrNone } from '../helpers/worker-driver.ts';

const ORDER = { namespace: 'shop', workflowType: 'order', taskQueue: 'default' };

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

describe('a start', () => {
  it('makes a PENDING run that is available at once, with version "1"', async () => {
    const run = await start(test);
    expect(run).toMatchObject({ status: 'PENDING', version: '1', availableAt: test.clock.now(), epoch: 0, inbox: 0 });
    expect(await getRun(test.engine, run)).toMatchObject({ run: { runId: run.runId }, input: undefined });
  });

  it('without an external id makes a new run each time', async () => {
    const runs = [await start(test), await start(test)];
    expect(new Set(runs.map((run) => run.runId)).size).toBe(2);
  });

  it.each([
    ['an empty namespace', { namespace: '' }],
    ['a namespace with another alphabet', { namespace: 'Shop' }],
    ['a task queue with a slash', { taskQueue: 'a b/c' }],
    ['an empty version', { version: '' }],
    ['a workflow type with a mark', { workflowType: '#' }],
    ['an empty external id', { externalId: '' }],
    ['a lone surrogate as external id', { externalId: '\ud800' }],
    ['an external id of 5,000 characters', { externalId: 'x'.repeat(5_000) }],
    ['a start at no time', { startAt: Number.NaN }],
    ['a start in 200 years', { startAt: Date.UTC(2300, 0, 1) }],
  ])('with %s is refused, and nothing is written', async (_what, given) => {
    const before = await dumpStore(test);
    await expect(startRun(test.engine, { ...ORDER, ...given })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await dumpStore(test)).toEqual(before);
  });

  it('remembers the namespace and the task queue it used', async () => {
    await start(test);
    await start(test, { namespace: 'bank', taskQueue: 'slow' });
    const { namespaces } = await listNamespaces(test.engine, { pageSize: 10 });
    expect(namespaces.map(({ name }) => name)).toEqual(['bank', 'shop']);
    const { taskQueues } = await listTaskQueues(test.engine, { namespace: 'bank', pageSize: 10 });
    expect(taskQueues).toMatchObject([{ name: 'slow', ready: 1, delayed: 0, inFlight: 0 }]);
  });
});

describe('a start under an external id', () => {
  it('that was used before answers the run that was first, and writes nothing', async () => {
    const first = await startRun(test.engine, { ...ORDER, externalId: 'o-1', input: '1' });
    const before = await dumpStore(test);
    const second = await startRun(test.engine, { ...ORDER, externalId: 'o-1', input: '2' });
    expect(first.alreadyExists).toBe(false);
    expect(second).toMatchObject({ alreadyExists: true, run: { runId: first.run.runId } });
    expect(second.run.incarnation).toBe(first.run.incarnation);
    expect(await dumpStore(test)).toEqual(before);
    expect(await getRun(test.engine, first.run)).toMatchObject({ input: '1' });
  });

  it('finds the run whatever its status', async () => {
    const { run, lease } = await startAndTake(test, { externalId: 'o-1' });
    const again = () => startRun(test.engine, { ...ORDER, externalId: 'o-1' });
    expect(await again()).toMatchObject({ alreadyExists: true, run: { runId: run.runId, status: 'RUNNING' } });
    await completeRun(test.engine, lease, '1');
    expect(await again()).toMatchObject({ alreadyExists: true, run: { runId: run.runId, status: 'COMPLETED' } });
  });

  it('that belongs to another workflow type is a conflict', async () => {
    const run = await start(test, { externalId: 'o-1' });
    const before = await dumpStore(test);
    await expect(start(test, { externalId: 'o-1', workflowType: 'refund' })).rejects.toMatchObject({
      code: 'EXTERNAL_ID_CONFLICT',
      details: { run_id: run.runId, workflow_type: 'order' },
    });
    expect(await dumpStore(test)).toEqual(before);
  });

  it('is another run in another namespace', async () => {
    const here = await start(test, { externalId: 'o-1' });
    const there = await startRun(test.engine, { ...ORDER, namespace: 'bank', externalId: 'o-1' });
    expect(there.alreadyExists).toBe(false);
    expect(there.run.runId).not.toBe(here.runId);
  });
});

describe('a delayed start', () => {
  it.each([
    ['by a queue delay', 10 * 60_000],
    ['by a timer', 3 * 3_600_000],
  ])('waits for its time %s', async (_how, delayMs) => {
    const startAt = test.clock.now() + delayMs;
    const run = await start(test, { startAt });
    expect(run).toMatchObject({ status: 'PENDING', availableAt: startAt });
    await test.clock.advance(delayMs - 2_000);
    await test.passes(1_000);
    expect(await takeOrNone(test)).toBeNull();
    await test.passes(1_000);
    expect((await take(test)).run).toMatchObject({ runId: run.runId, startedAt: startAt });
  });

  it('into the past starts now', async () => {
    expect(await start(test, { startAt: test.clock.now() - 5_000 })).toMatchObject({ availableAt: test.clock.now() });
  });
});

describe('where task queues are declared', () => {
  let declared: TestEngine;
  beforeEach(async () => {
    declared = await testEngine({
      wrap: (parts) => ({
        ...parts,
        queue: queueWith(parts.queue, { declared: async () => ['default', 'slow'] }),
      }),
    });
  });
  afterEach(() => declared.close());

  it('an undeclared one is not found, the declared ones are named and nothing is written', async () => {
    const before = await dumpStore(declared);
    const refusal = { code: 'TASK_QUEUE_NOT_FOUND', details: { declared: ['default', 'slow'] } };
    await expect(start(declared, { taskQueue: 'fast' })).rejects.toMatchObject(refusal);
    await expect(register(declared, { taskQueue: 'fast' })).rejects.toMatchObject(refusal);
    expect(await dumpStore(declared)).toEqual(before);
  });

  it('a declared one works', async () => {
    expect(await start(declared, { taskQueue: 'slow' })).toMatchObject({ status: 'PENDING', taskQueue: 'slow' });
  });
});
