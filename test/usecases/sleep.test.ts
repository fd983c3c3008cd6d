import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeRunMessage } from '../../shared/store/dispatch.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import type { RunLease } from '../../shared/usecases/lease.ts';
import { getStep, listSteps } from '../../shared/usecases/list-steps.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { countRows, dumpStore, loseMessages } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { doStep, headOf, startAndTake, take, takeOrNone } from '../helpers/worker-driver.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

const nap = (lease: RunLease, ms: number, stepId = 'nap') =>
  sleepRun(test.engine, lease, { stepId, until: test.clock.now() + ms });
const beginNap = (lease: RunLease, stepId = 'nap') => beginStep(test.engine, lease, { stepId, kind: 'SLEEP' });

describe('a sleep', () => {
  it.each([
    ['a millisecond', 1],
    ['a second', 1_000],
    ['fourteen minutes', 14 * MINUTE],
    ['exactly the longest delay of the queue', 15 * MINUTE],
    ['a millisecond more than that', 15 * MINUTE + 1],
    ['six hours', 360 * MINUTE],
  ])('of %s never ends early, and is claimed from SLEEPING at its time', async (_name, ms) => {
    const { lease, run } = await startAndTake(test);
    const { wakeAt } = await nap(lease, ms);
    expect(wakeAt).toBe(test.clock.now() + ms);
    expect(await headOf(test, run)).toMatchObject({ status: 'SLEEPING', availableAt: wakeAt, epoch: 1 });
    await test.clock.advance(Math.max(0, ms - 2));
    await test.passes(Math.min(1, ms - 1));
    expect(await takeOrNone(test)).toBeNull();
    await test.passes(1);
    const next = await take(test);
    expect(next.run).toMatchObject({ status: 'RUNNING', epoch: 2 });
    expect(await beginNap(next.lease)).toMatchObject({ shouldExecute: false, step: { wakeAt } });
    await completeRun(test.engine, next.lease, '1');
  });

  it('of more than 15 minutes waits in a timer, which a cancel removes; a shorter one in the queue', async () => {
    await nap((await startAndTake(test)).lease, 15 * MINUTE);
    expect([countRows(test, 'timers'), countRows(test, 'messages')]).toEqual([0, 1]);
    const { lease, run } = await startAndTake(test);
    await nap(lease, 3650 * DAY);
    expect([countRows(test, 'timers'), countRows(test, 'messages')]).toEqual([1, 1]);
    await cancelRun(test.engine, run, null);
    expect(countRows(test, 'timers')).toBe(0);
  });

  it('holds no worker and costs the watchdog nothing', async () => {
    const { lease } = await startAndTake(test);
    await nap(lease, 3 * 3_600_000);
    test.table.reset();
    await test.passes(90_000);
    const { calls } = test.table.snapshot();
    expect(calls).toMatchObject({ put: 0, delete: 0, queryIndex: 90 });
    expect(calls.update).toBeLessThanOrEqual(2);
  });

  it('records its wake time once: asked for again it gives the first', async () => {
    const { lease, run } = await startAndTake(test);
    const first = await nap(lease, 10_000);
    await test.passes(10_000);
    const next = await take(test);
    const again = await sleepRun(test.engine, next.lease, { stepId: 'nap', until: test.clock.now() + DAY });
    expect(again).toMatchObject({ wakeAt: first.wakeAt, elapsed: true, run: { status: 'RUNNING' } });
    expect((await getStep(test.engine, run, 'nap')).step).toMatchObject({ kind: 'SLEEP', wakeAt: first.wakeAt });
  });

  it('whose message comes early is not claimed, and the message is put back until then', async () => {
    const { lease, run } = await startAndTake(test);
    const { wakeAt } = await nap(lease, 60_000);
    const early = await claimRun(test.engine, run, { owner: 'x', session: null });
    expect(early).toEqual({ outcome: 'early', at: wakeAt });
    loseMessages(test);
    await test.queue.send('default', [{ body: encodeRunMessage(run), group: 'shop', kind: 'order' }]);
    expect(await takeOrNone(test)).toBeNull();
    expect(await headOf(test, run)).toMatchObject({ status: 'SLEEPING', epoch: 1 });
    await test.clock.advance(59_999);
    expect(await takeOrNone(test)).toBeNull();
    await test.clock.advance(1);
    expect((await take(test)).run.runId).toBe(run.runId);
  });

  it('under two ids is two sleeps', async () => {
    const { lease, run } = await startAndTake(test);
    await nap(lease, 1_000, 'one');
    await test.passes(1_000);
    const next = await take(test);
    expect(await nap(next.lease, 1_000, 'two')).toMatchObject({ elapsed: false });
    const { steps } = await listSteps(test.engine, { ...run, pageSize: 10 });
    expect(steps.map(({ step }) => step.stepId)).toEqual(['one', 'two']);
  });

  it('until later than keys can say costs nothing while it lasts', async () => {
    const { lease } = await startAndTake(test);
    const until = Date.UTC(2300, 0, 1);
    await sleepRun(test.engine, lease, { stepId: 'far', until });
    await test.passes(2 * MINUTE);
    const before = test.table.snapshot().writeUnits;
    await test.passes(2 * MINUTE);
    expect(test.table.snapshot().writeUnits).toBe(before);
  });

  it('into the past is over at once, and the worker keeps the run', async () => {
    const { lease } = await startAndTake(test);
    expect(await nap(lease, 0)).toMatchObject({ elapsed: true, run: { status: 'RUNNING' } });
    expect(await nap(lease, -5_000, 'past')).toMatchObject({ elapsed: true });
    await completeRun(test.engine, lease, '1');
  });

  it('asked for again after a lost answer is answered the same, and nothing is written', async () => {
    const { lease } = await startAndTake(test);
    const first = await nap(lease, 60_000);
    const before = await dumpStore(test);
    expect(await nap(lease, 90_000)).toEqual(first);
    await expect(nap(lease, 90_000, 'other')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await dumpStore(test)).toEqual(before);
  });

  it('under the id of another kind of step is refused', async () => {
    const { lease } = await startAndTake(test);
    await doStep(test, lease, 'a');
    await expect(nap(lease, 1_000, 'a')).rejects.toMatchObject({
      code: 'STEP_KIND_CONFLICT',
      details: { kind: 'FUNCTION' },
    });
  });

  it('that nobody has asked for yet is to be executed, and its beginning writes nothing', async () => {
    const { lease } = await startAndTake(test);
    const before = await dumpStore(test);
    expect(await beginNap(lease)).toMatchObject({ step: null, shouldExecute: true, retryAt: null });
    expect(await dumpStore(test)).toEqual(before);
  });
});
