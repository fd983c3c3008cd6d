import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenRun, RunId } from '../../shared/model/run.ts';
import { notifyHead } from '../../shared/store/runs.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import type { RunLease } from '../../shared/usecases/lease.ts';
import { getStep, listSteps } from '../../shared/usecases/list-steps.ts';
import { releaseRun } from '../../shared/usecases/release-run.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { expireItems, itemsOf } from '../helpers/dump-store.ts';
import { HeldTimers } from '../helpers/held-timers.ts';
import { deliverControl, type TestEngine, testEngine } from '../helpers/test-engine.ts';
import {
  begin,
  broken,
  claim,
  doStep,
  headOf,
  lapse,
  register,
  start,
  startAndTake,
  take,
  takeOrNone,
} from '../helpers/worker-driver.ts';

const DAY = 86_400_000;
const YEAR = 365 * DAY;
const LONG_INPUT = `"${'input '.repeat(200)}"`;

let test: TestEngine;
let timers: HeldTimers;
beforeEach(async () => {
  timers = new HeldTimers();
  test = await testEngine({ wrap: (parts) => ({ ...parts, timers }) });
});
afterEach(() => test.close());

const nap = (lease: RunLease, ms: number, stepId = 'nap') =>
  sleepRun(test.engine, lease, { stepId, until: test.clock.now() + ms });

/** Time leaps; the table removes what has expired, timers fire and the watchdog looks. */
async function leap(ms: number): Promise<void> {
  await test.clock.advance(ms);
  await expireItems(test);
  await timers.fire(test.queue, test.clock.now());
  await watchdogTick(test.engine);
  await deliverControl(test.engine);
}

describe('the timer of a long sleep', () => {
  it('is set as early as it may be imprecise, and then the queue waits for the rest', async () => {
    const { lease, run } = await startAndTake(test);
    const { wakeAt } = await nap(lease, 3_600_000);
    expect([...timers.held.values()]).toMatchObject([{ at: wakeAt - timers.leadMs }]);
    await leap(3_600_000 - timers.leadMs);
    expect(await test.queue.depth('default')).toMatchObject({ ready: 0, delayed: 1 });
    await test.clock.advance(timers.leadMs - 1);
    expect(await takeOrNone(test)).toBeNull();
    await test.clock.advance(1);
    expect((await take(test)).run.runId).toBe(run.runId);
  });

  it('that fires long before its time is set again', async () => {
    const { lease } = await startAndTake(test);
    const { wakeAt } = await nap(lease, DAY);
    await timers.fire(test.queue, wakeAt);
    expect(timers.held.size).toBe(0);
    await deliverControl(test.engine);
    expect([...timers.held.values()]).toMatchObject([{ at: wakeAt - timers.leadMs }]);
  });

  it('is set while the run is held, and does not outlive one that ends meanwhile', async () => {
    const { lease, run } = await startAndTake(test);
    const set = timers.set.bind(timers);
    timers.set = async (...timer) => {
      expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING' });
      await cancelRun(test.engine, run, null);
      await set(...timer);
    };
    await expect(nap(lease, DAY)).rejects.toThrow('no longer holds');
    expect(timers.held.size).toBe(0);
  });

  it.each([
    ['goes on', (id: RunId) => take(test).then(() => id)],
    ['is cancelled', (id: RunId) => cancelRun(test.engine, id, null)],
  ])('is taken away when the run %s before, though whoever woke it died over it', async (_what, act) => {
    const { lease, run } = await startAndTake(test);
    await nap(lease, DAY);
    const asleep = (await headOf(test, run)) as OpenRun;
    await notifyHead(test.engine, asleep, test.clock.now());
    await test.passes(31_000);
    expect(timers.held.size).toBe(1);
    await act(run);
    expect(timers.held.size).toBe(0);
  });

  it('is taken away by whoever claims the run next, if the one who should have has died', async () => {
    const { lease, run } = await startAndTake(test);
    await nap(lease, DAY);
    await notifyHead(test.engine, (await headOf(test, run)) as OpenRun, test.clock.now());
    await test.passes(31_000);
    const cancel = timers.cancel.bind(timers);
    timers.cancel = () => Promise.reject(new Error('died'));
    await take(test);
    timers.cancel = cancel;
    expect(timers.held.size).toBe(1);
    await test.passes(40_000);
    await take(test);
    expect(timers.held.size).toBe(0);
  });
});

describe('a wait that outlasts the life of the history', () => {
  it('of ten years keeps every step and the input', async () => {
    const { lease, run } = await startAndTake(test, { input: LONG_INPUT });
    for (let n = 0; n < 30; n++) await doStep(test, lease, `s${n}`, `"${n}"`);
    await nap(lease, 10 * YEAR);
    for (let year = 0; year < 10; year++) await leap(YEAR);
    const next = await take(test);
    expect(next.input).toBe(LONG_INPUT);
    expect(next.history).toHaveLength(31);
    expect(await begin(test, next.lease, 's7')).toMatchObject({ shouldExecute: false, cachedOutput: '"7"' });
    const woken = await beginStep(test.engine, next.lease, { stepId: 'nap', kind: 'SLEEP' });
    expect(woken).toMatchObject({ shouldExecute: false });
    await doStep(test, next.lease, 'after');
    await completeRun(test.engine, next.lease, '1');
    await test.clock.advance(29 * DAY);
    await expireItems(test);
    expect((await listSteps(test.engine, { ...run, pageSize: 100 })).steps).toHaveLength(32);
  });

  it('of two sleeps of a month each keeps them too', async () => {
    const { lease, run } = await startAndTake(test, { input: LONG_INPUT });
    await doStep(test, lease, 'a', '"kept"');
    for (const stepId of ['one', 'two', 'three']) {
      const holder = stepId === 'one' ? lease : (await take(test)).lease;
      await nap(holder, 30 * DAY, stepId);
      await leap(30 * DAY);
    }
    const next = await take(test);
    expect(next.run.runId).toBe(run.runId);
    expect(next.history.map((step) => step.stepId)).toEqual(['a', 'one', 'two', 'three']);
    expect(next.input).toBe(LONG_INPUT);
  });

  it('of two months for a retry keeps them too', async () => {
    const { lease } = await startAndTake(test, { input: LONG_INPUT });
    await doStep(test, lease, 'a', '"kept"');
    await failRun(test.engine, lease, { error: broken(), retryAfterMs: 60 * DAY });
    await leap(60 * DAY);
    const next = await take(test);
    expect(next.input).toBe(LONG_INPUT);
    expect(await begin(test, next.lease, 'a')).toMatchObject({ cachedOutput: '"kept"' });
  });

  it('of two months after a release keeps them too', async () => {
    const { lease, run } = await startAndTake(test, { input: LONG_INPUT });
    await doStep(test, lease, 'a', '"kept"');
    await releaseRun(test.engine, run, 60 * DAY);
    await leap(60 * DAY);
    const next = await take(test);
    expect(next.history).toMatchObject([{ stepId: 'a', status: 'COMPLETED' }]);
    expect(next.input).toBe(LONG_INPUT);
  });

  it('of two months between two recoveries keeps them too', async () => {
    const intervalMs = 60 * DAY;
    const retryPolicy = { kind: 'fixed', maximumAttempts: 3, intervalMs, jitter: false } as const;
    const { lease } = await startAndTake(test, { input: LONG_INPUT, retryPolicy });
    await doStep(test, lease, 'a', '"kept"');
    await lapse(test);
    await take(test);
    await lapse(test);
    await leap(intervalMs);
    const next = await take(test);
    expect(next).toMatchObject({ run: { stalls: 2 }, history: [{ stepId: 'a', status: 'COMPLETED' }] });
    expect(next.input).toBe(LONG_INPUT);
  });

  it('of two months for a worker keeps them too', async () => {
    const { lease, run } = await startAndTake(test, { input: LONG_INPUT });
    await doStep(test, lease, 'a', '"kept"');
    await lapse(test);
    for (let day = 0; day < 60; day++) await leap(DAY);
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING' });
    const next = await take(test);
    expect(next.history).toMatchObject([{ stepId: 'a', status: 'COMPLETED' }]);
    expect(next.input).toBe(LONG_INPUT);
  });

  it('of a year before the start keeps the input', async () => {
    const run = await start(test, { input: LONG_INPUT, startAt: test.clock.now() + YEAR });
    await leap(YEAR);
    expect(await take(test, await register(test))).toMatchObject({ run: { runId: run.runId }, input: LONG_INPUT });
  });

  it('of a worker that holds the run for two months keeps them too', async () => {
    const run = await claim(test, await start(test, { input: LONG_INPUT }));
    await doStep(test, { ...run, generation: 0, token: run.lease.token }, 'a', '"kept"');
    for (let day = 0; day < 60; day++) {
      await test.table.update({ pk: `shop#run#${run.runId}`, sk: 'head' }, { set: { lu: test.clock.now() + 2 * DAY } });
      await leap(DAY);
    }
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING', epoch: 1 });
    expect(itemsOf(test, run).map((item) => item.sk.split('#')[0])).toEqual(['data', 'head', 'step']);
  });

  it('a sleep under the id of a packed step is refused, and the step stays as it is', async () => {
    const { lease, run } = await startAndTake(test);
    await doStep(test, lease, 'a', '"kept"');
    await nap(lease, YEAR);
    expect(itemsOf(test, run).some((item) => item.sk.startsWith('pack#'))).toBe(true);
    await leap(YEAR);
    const next = await take(test);
    await expect(nap(next.lease, 1_000, 'a')).rejects.toMatchObject({ code: 'STEP_KIND_CONFLICT' });
    expect(await getStep(test.engine, run, 'a')).toMatchObject({ output: '"kept"' });
  });
});
