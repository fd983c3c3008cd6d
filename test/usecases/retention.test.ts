import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idempotencyKey } from '../../shared/model/ids.ts';
import type { Run } from '../../shared/model/run.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { listRuns } from '../../shared/usecases/list-runs.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import type { Task } from '../../shared/usecases/poll-task.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { releaseRun } from '../../shared/usecases/release-run.ts';
import { renewLease } from '../../shared/usecases/renew-lease.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { startChild } from '../../shared/usecases/start-child.ts';
import { blobKeys, expireItems, itemsOf } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { beat, begin, broken, doStep, register, start, startAndTake, take } from '../helpers/worker-driver.ts';

const LARGE = `"${Array.from({ length: 20_000 }, (_, n) => (n * 7919).toString(36)).join('')}"`;

let test: TestEngine;
let retentionMs: number;
beforeEach(async () => {
  test = await testEngine();
  ({ retentionMs } = test.engine.config);
});
afterEach(() => test.close());

/** A run with two steps, one done and one begun, that was cancelled under its worker. */
async function endedRun(): Promise<Task> {
  const task = await startAndTake(test, { externalId: 'o-1', input: LARGE });
  await doStep(test, task.lease, 'done', '"old"');
  await begin(test, task.lease, 'begun');
  await cancelRun(test.engine, task.run, null);
  return task;
}

describe('until its retention ends', () => {
  it('a finished run keeps its external id and its history, to the last second', async () => {
    const old = await endedRun();
    await test.clock.advance(retentionMs - 1_000);
    await expireItems(test);
    const again = await start(test, { externalId: 'o-1' });
    expect(again).toMatchObject({ incarnation: old.run.incarnation, status: 'CANCELLED' });
    expect((await getRun(test.engine, again)).input === LARGE).toBe(true);
    expect((await listSteps(test.engine, { ...again, pageSize: 10 })).steps).toHaveLength(2);
  });
});

describe('once its retention has ended', () => {
  it('a run is gone for everybody, although its items are still there', async () => {
    const old = await endedRun();
    await test.clock.advance(retentionMs + 1_000);
    expect(itemsOf(test, old.run).length).toBeGreaterThan(2);
    const gone = { code: 'RUN_NOT_FOUND' };
    await expect(getRun(test.engine, old.run)).rejects.toMatchObject(gone);
    await expect(listSteps(test.engine, { ...old.run, pageSize: 10 })).rejects.toMatchObject(gone);
    await expect(cancelRun(test.engine, old.run, null)).rejects.toMatchObject(gone);
    expect((await listRuns(test.engine, { namespace: 'shop', pageSize: 10 })).runs).toEqual([]);
  });

  it('its blobs are purged with its items by the watchdog', async () => {
    const old = await endedRun();
    expect(await blobKeys(test)).toHaveLength(1);
    await test.clock.advance(retentionMs);
    await test.passes(2_000);
    expect(await blobKeys(test)).toEqual([]);
    expect(itemsOf(test, old.run)).toEqual([]);
  });

  const leftovers: readonly (readonly [string, (sk: string) => boolean])[] = [
    ['all of the old items are left', () => true],
    ['none of the old items is left', () => false],
    ['only the old head is left', (sk) => sk === 'head'],
    ['only the old steps are left', (sk) => sk.startsWith('step#')],
    ['one old step is left', (sk) => sk.endsWith('#done')],
  ];
  it.each(leftovers)('its external id makes a new run that sees none of the old steps, when %s', async (_, keep) => {
    const old = await endedRun();
    const oldKey = idempotencyKey(old.run.runId, old.run.incarnation, 'done');
    // Beyond the steps' own TTL too, which outlasts the head's by a week.
    await test.clock.advance(retentionMs + 8 * 86_400_000);
    await expireItems(test, (item) => keep(item.sk));
    const run = await start(test, { externalId: 'o-1', input: '"new"' });
    expect(run.runId).toBe(old.run.runId);
    expect(run.incarnation).not.toBe(old.run.incarnation);
    const task = await take(test);
    expect(task).toMatchObject({ run: { incarnation: run.incarnation, epoch: 1 }, input: '"new"', history: [] });
    expect((await listSteps(test.engine, { ...run, pageSize: 10 })).steps).toEqual([]);
    const begun = await begin(test, task.lease, 'done');
    expect(begun).toMatchObject({ shouldExecute: true, cachedOutput: undefined });
    expect(begun.idempotencyKey).not.toBe(oldKey);
  });
});

describe('a worker with the lease of an earlier run under the same external id', () => {
  let old: Task;
  let run: Run;
  beforeEach(async () => {
    old = await endedRun();
    await test.clock.advance(retentionMs + 1_000);
    run = await start(test, { externalId: 'o-1' });
  });

  const newItems = () => itemsOf(test, run).filter((item) => item.sk === 'head' || item.sk.includes(run.incarnation));

  async function refusesEverything(): Promise<void> {
    const { engine } = test;
    const { lease } = old;
    const before = newItems();
    const child = { namespace: 'shop', workflowType: 'order', taskQueue: 'default' };
    for (const call of [
      () => begin(test, lease, 'done'),
      () => begin(test, lease, 'next'),
      () => beginStep(engine, lease, { stepId: 'zzz', kind: 'SLEEP' }),
      () => completeStep(engine, lease, 'begun', '1'),
      () => failStep(engine, lease, { stepId: 'begun', error: broken() }),
      () => completeRun(engine, lease, '1'),
      () => failRun(engine, lease, { error: broken() }),
      () => sleepRun(engine, lease, { stepId: 'zzz', until: test.clock.now() + 1_000 }),
      () => startChild(engine, lease, 'child', child),
      () => renewLease(engine, old.run, 5),
      () => releaseRun(engine, old.run),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      expect(newItems()).toEqual(before);
    }
    const late = await claimRun(engine, old.run, { owner: 'x', session: null });
    expect(late.outcome).toBe('moot');
    expect(await beat(test, await register(test), [lease])).toMatchObject({ lost: [{ status: null }] });
    // A direct worker's result is not fenced, but it lies where the new run never looks.
    await recordStep(engine, old.run, { stepId: 'direct', output: '1', startedAt: 0 });
    expect(newItems()).toEqual(before);
  }

  it('can write nothing while the new run waits', async () => {
    await refusesEverything();
    expect((await take(test)).history).toEqual([]);
  });

  it('can write nothing while the new run is held in the same epoch', async () => {
    const task = await take(test);
    expect(task.lease.epoch).toBe(old.lease.epoch);
    await doStep(test, task.lease, 'done', '"new"');
    await refusesEverything();
    await completeRun(test.engine, task.lease, '"fine"');
    const { steps } = await listSteps(test.engine, { ...run, pageSize: 10 });
    expect(steps).toMatchObject([{ step: { stepId: 'done' }, output: '"new"' }]);
  });
});
