import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PortError } from '../../shared/ports/port-error.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { deleteRun } from '../../shared/usecases/delete-run.ts';
import { exportRun } from '../../shared/usecases/export-run.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { listRuns } from '../../shared/usecases/list-runs.ts';
import type { Task } from '../../shared/usecases/poll-task.ts';
import { sweepBlobs } from '../../shared/usecases/purge-run.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { blobKeys, countRows, dumpItems, dumpStore, itemsOf, loseTimers } from '../helpers/dump-store.ts';
import { evenIds } from '../helpers/faulty-parts.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { doStep, headOf, start, startAndTake, take } from '../helpers/worker-driver.ts';

const large = (): string => `"${randomBytes(30_000).toString('hex')}"`;

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine({ wrap: (parts) => ({ ...parts, ids: evenIds(parts.ids) }) });
});
afterEach(() => test.close());

/** With blobs, an item for its output, packed and loose steps. The watchdog ends its sleep, so that time may leap. */
async function finishedRun(): Promise<Task> {
  const task = await startAndTake(test, { externalId: 'o-1', input: large() });
  await doStep(test, task.lease, 'a', large());
  await sleepRun(test.engine, task.lease, { stepId: 'nap', until: test.clock.now() + 14 * 86_400_000 });
  loseTimers(test);
  await test.clock.advance(14 * 86_400_000);
  await test.passes(31_000);
  const next = await take(test);
  await doStep(test, next.lease, 'b', '"small"');
  await completeRun(test.engine, next.lease, `"${'x'.repeat(900)}"`);
  return next;
}

describe('deleting a run', () => {
  it('leaves nothing of it in table, indexes and blobs, and frees its external id', async () => {
    const { run } = await finishedRun();
    const kinds = new Set(itemsOf(test, run).map((item) => item.sk.split('#')[0]));
    expect(kinds).toEqual(new Set(['data', 'head', 'pack', 'step']));
    expect(await blobKeys(test)).toHaveLength(2);
    await deleteRun(test.engine, run);
    expect(itemsOf(test, run)).toEqual([]);
    expect(await blobKeys(test)).toEqual([]);
    expect(dumpItems(test).filter((item) => item.lk !== undefined)).toEqual([]);
    await expect(getRun(test.engine, run)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(deleteRun(test.engine, run)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect((await listRuns(test.engine, { namespace: 'shop', pageSize: 10 })).runs).toEqual([]);
    const anew = await start(test, { externalId: 'o-1' });
    expect(anew).toMatchObject({ runId: run.runId, status: 'PENDING' });
    expect((await take(test)).history).toEqual([]);
  });

  it('that has not finished is refused and changes nothing', async () => {
    const { run, lease } = await startAndTake(test);
    const refused = async (status: string) => {
      const before = await dumpStore(test);
      const call = deleteRun(test.engine, run);
      await expect(call).rejects.toMatchObject({ code: 'RUN_NOT_FINISHED', details: { status } });
      expect(await dumpStore(test)).toEqual(before);
    };
    await refused('RUNNING');
    await sleepRun(test.engine, lease, { stepId: 'nap', until: test.clock.now() + 1_000 });
    await refused('SLEEPING');
    await cancelRun(test.engine, run, null);
    await deleteRun(test.engine, run);
  });

  it('of another namespace does not find it', async () => {
    const { run } = await finishedRun();
    const call = deleteRun(test.engine, { ...run, namespace: 'bank' });
    await expect(call).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await headOf(test, run)).toMatchObject({ status: 'COMPLETED' });
  });

  it('that dies half-way has deleted it for everybody, and the watchdog clears the rest away', async () => {
    const { run } = await finishedRun();
    const blobs = test.engine.blobs;
    const dying = {
      put: blobs.put.bind(blobs),
      get: blobs.get.bind(blobs),
      list: blobs.list.bind(blobs),
      delete: () => Promise.reject(new PortError('unavailable', 'down')),
    };
    await expect(deleteRun({ ...test.engine, blobs: dying }, run)).rejects.toBeInstanceOf(PortError);
    await expect(getRun(test.engine, run)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await blobKeys(test)).toHaveLength(2);
    await test.passes(31_000);
    expect(await blobKeys(test)).toEqual([]);
    expect(itemsOf(test, run)).toEqual([]);
  });
});

describe('the sweep of blobs', () => {
  it('removes what no run refers to once it is a day old, and nothing else', async () => {
    const { run } = await finishedRun();
    const kept = await blobKeys(test);
    const orphan = `shop/${run.runId}/AAAAAAAAAA/in`;
    await test.engine.blobs.put(orphan, new Uint8Array(1));
    await test.engine.blobs.put('bank/gone/BBBBBBBBBB/in', new Uint8Array(1));
    const sameDay = { ...test.engine, clock: new ManualClock(Date.now()) };
    expect(await sweepBlobs(sameDay)).toBeNull();
    expect(await blobKeys(test)).toContain(orphan);
    expect(await sweepBlobs(test.engine)).toBeNull();
    expect(await blobKeys(test)).toEqual(kept);
  });
});

describe('exporting a run', () => {
  it('gives everything that is kept of it, with its cost', async () => {
    const { run } = await finishedRun();
    const whole = await exportRun(test.engine, run, undefined);
    const details = await getRun(test.engine, run);
    expect(whole).toMatchObject({ run: details.run, output: details.output, nextPageToken: null });
    expect(whole.input === details.input).toBe(true);
    expect(whole.steps.map(({ step }) => step.stepId)).toEqual(['a', 'nap', 'b']);
    expect(whole.steps[2]?.output).toBe('"small"');
    expect(whole.cost.writeUnits).toBeGreaterThan(10);
    expect(whole.cost.dollars).toBeGreaterThan(0);
  });

  it('that has not finished is refused', async () => {
    const run = await start(test);
    const call = exportRun(test.engine, run, undefined);
    await expect(call).rejects.toMatchObject({ code: 'RUN_NOT_FINISHED' });
    expect(countRows(test, 'messages')).toBe(1);
  });
});
