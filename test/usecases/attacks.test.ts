import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startBackground } from '../../local/background.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { SqliteTimers } from '../../local/sqlite-timers.ts';
import { retryDelayMs } from '../../shared/model/retry-policy.ts';
import type { RunId, RunningRun } from '../../shared/model/run.ts';
import type { Step } from '../../shared/model/step.ts';
import type { Item, Table } from '../../shared/ports/table.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { headKey } from '../../shared/store/keys.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { deleteRun } from '../../shared/usecases/delete-run.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { leaseOf } from '../../shared/usecases/lease.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { suspendRun } from '../../shared/usecases/suspend-run.ts';
import { settle } from '../helpers/manual-clock.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import * as driver from '../helpers/worker-driver.ts';

const DAY = 86_400_000;

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

/** The same engine, but something happens before a put of the table. */
function beforePut(engine: Engine, happens: (item: Item) => Promise<void>): Engine {
  const put: Table['put'] = async (item, condition) => {
    await happens(item);
    return engine.table.put(item, condition);
  };
  const table = new Proxy(engine.table, {
    get(target, name) {
      if (name === 'put') return put;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...engine, table };
}

it('a server that was off for longer than the retention executes no completed step again', async () => {
  const { engine, queue, clock, embedded } = test;
  const task = await driver.startAndTake(test);
  await driver.doStep(test, task.lease, 'charge', '"paid"');
  await clock.advance(38 * DAY);
  const timers = new SqliteTimers(embedded.store, queue, clock);
  const table = new SqliteTable(embedded.store, clock);
  const background = await startBackground(
    { engine, queue, table, timers, close: async () => undefined },
    { watchdogIntervalMs: 1000 },
  );
  for (let second = 0; second < 60; second++) await clock.advance(1000);
  const again = await driver.take(test);
  expect(again.history).toMatchObject([{ stepId: 'charge', status: 'COMPLETED' }]);
  const stopped = background.stop();
  await clock.advance(30_000);
  await stopped;
});

it('a result acknowledged while a long sleep packs the history is not lost', async () => {
  const { engine } = test;
  const { lease } = await driver.startAndTake(test);
  await driver.begin(test, lease, 'beside');
  let done = false;
  const packing = beforePut(engine, async ({ sk }) => {
    if (done || !sk.startsWith('pack#')) return;
    done = true;
    expect((await completeStep(engine, lease, 'beside', '"kept"')).status).toBe('COMPLETED');
  });
  await sleepRun(packing, lease, { stepId: 'nap', until: engine.clock.now() + 40 * DAY });
  expect(done).toBe(true);
  await test.clock.advance(40 * DAY + 1000);
  await new SqliteTable(test.embedded.store, test.clock).sweepExpired(Math.floor(test.clock.now() / 1000), 1000);
  await test.passes(2000);
  const again = await driver.take(test);
  const begun = await driver.begin(test, again.lease, 'beside');
  expect(begun).toMatchObject({ shouldExecute: false, cachedOutput: '"kept"' });
});

it('a full worker gets work as soon as it has finished some', async () => {
  const worker = await driver.register(test, { maxConcurrent: 1 });
  await driver.start(test);
  const first = await driver.take(test, worker);
  await driver.start(test);
  await driver.beat(test, worker, [first.lease]);
  const waiting = driver.poll(test, worker, { timeoutMs: 20_000 });
  await settle();
  await completeRun(test.engine, first.lease, undefined);
  await test.clock.advance(3000);
  expect(await Promise.race([waiting, settle().then(() => 'still waiting')])).toMatchObject({
    run: { status: 'RUNNING' },
  });
});

it('a retry policy with no first wait and a huge factor still waits a number of milliseconds', () => {
  const policy = {
    kind: 'exponential',
    maximumAttempts: 10_000,
    initialIntervalMs: 0,
    backoffCoefficient: 100,
    maximumIntervalMs: 60_000,
    jitter: false,
  } as const;
  expect(retryDelayMs(policy, 9_999, 0.5)).toBe(0);
  expect(retryDelayMs({ ...policy, initialIntervalMs: 1 }, 9_999, 0.5)).toBe(60_000);
});

it('large payloads of starts and begins that find something already there are not stored again', async () => {
  const blobs = async (): Promise<number> => (await test.engine.blobs.list({ prefix: '', limit: 1000 })).blobs.length;
  const input = JSON.stringify(randomBytes(100_000).toString('hex'));
  const task = await driver.startAndTake(test, { externalId: 'one', input });
  await driver.start(test, { externalId: 'one', input });
  expect(await blobs()).toBe(1);
  const begin = () => beginStep(test.engine, task.lease, { stepId: 's', kind: 'FUNCTION', input });
  await begin();
  await completeStep(test.engine, task.lease, 's', '1');
  expect(await begin()).toMatchObject({ shouldExecute: false, inputChanged: false });
  expect(await blobs()).toBe(2);
});

it('a step recorded while its run is cancelled and deleted ends with a lost run', async () => {
  const run = await driver.claim(test, await driver.start(test));
  await driver.begin(test, leaseOf(run), 's');
  let puts = 0;
  const racing = beforePut(test.engine, async ({ sk }) => {
    if (!sk.startsWith('step#') || ++puts !== 2) return;
    await cancelRun(test.engine, run, null);
    await deleteRun(test.engine, run);
  });
  const recording = recordStep(racing, run, { stepId: 's', output: '1', startedAt: 0 });
  await expect(recording).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});

it('a run whose input has vanished fails, and says so', async () => {
  const input = JSON.stringify(randomBytes(100_000).toString('hex'));
  const run = await driver.start(test, { input });
  const { blobs } = await test.engine.blobs.list({ prefix: '', limit: 10 });
  await test.engine.blobs.delete(blobs.map(({ key }) => key));
  expect(await driver.takeOrNone(test)).toBeNull();
  const shown = await getRun(test.engine, { namespace: run.namespace, runId: run.runId });
  expect(shown).toMatchObject({ run: { status: 'FAILED' }, error: { code: 'PAYLOAD_MISSING' }, input: undefined });
});

/** What the table removes by itself until now. */
const expire = (): Promise<number> =>
  new SqliteTable(test.embedded.store, test.clock).sweepExpired(Math.floor(test.clock.now() / 1000), 10_000);
const arrive = (run: RunId) => test.engine.table.update(headKey(run), { add: { ib: 1 } });
const record = (run: RunningRun, stepId: string) =>
  recordStep(test.engine, run, { stepId, output: '1', startedAt: test.clock.now() });
const steps = ({ history }: { readonly history: readonly Step[] }): string[] =>
  history.map(({ stepId }) => stepId).sort();

it('a long suspension that is refused leaves the worker on what it packed', async () => {
  const { engine } = test;
  const run = await driver.claim(test, await driver.start(test));
  await record(run, 'a');
  await arrive(run);
  const until = engine.clock.now() + 40 * DAY;
  const held = await suspendRun(engine, run, { until, status: 'SLEEPING', inboxRead: 0 });
  if (held === null) throw new Error('it was not refused');
  expect(held.history.generation).toBe(run.history.generation + 1);
  await record(held, 'b');
  expect(await suspendRun(engine, held, { until, status: 'SLEEPING', inboxRead: 1 })).toBeNull();
  await test.clock.advance(40 * DAY + 1000);
  await expire();
  await test.passes(2000);
  expect(steps(await driver.take(test))).toEqual(['a', 'b']);
});

it('a result acknowledged while packing survives a crash before it was carried over', async () => {
  const { engine } = test;
  const { lease } = await driver.startAndTake(test);
  await driver.begin(test, lease, 'beside');
  let packed = false;
  const dying = beforePut(engine, async ({ sk }) => {
    if (packed && sk.includes('#beside')) throw new Error('the process died');
    if (!sk.startsWith('pack#')) return;
    await completeStep(engine, lease, 'beside', '"kept"');
    packed = true;
  });
  const until = engine.clock.now() + 40 * DAY;
  await expect(sleepRun(dying, lease, { stepId: 'nap', until })).rejects.toThrow('died');
  for (let round = 0; round < 3; round++) {
    await driver.lapse(test);
    const again = await driver.take(test);
    expect(await driver.begin(test, again.lease, 'beside')).toMatchObject({ cachedOutput: '"kept"' });
    await sleepRun(engine, again.lease, { stepId: `short ${round}`, until: engine.clock.now() + 1000 });
    await test.passes(2000);
  }
});

it('steps recorded after an early wake-up outlive the rest of a long sleep', async () => {
  const { engine } = test;
  const run = await driver.claim(test, await driver.start(test));
  await record(run, 'a');
  const until = engine.clock.now() + 40 * DAY;
  expect(await suspendRun(engine, run, { until, status: 'SLEEPING', inboxRead: 0 })).toBeNull();
  await test.clock.advance(DAY);
  await engine.table.update(headKey(run), { set: { av: test.clock.now() } });
  const early = await driver.claim(test, run);
  await record(early, 'b');
  expect(await suspendRun(engine, early, { until, status: 'SLEEPING', inboxRead: 0 })).toBeNull();
  await test.clock.advance(40 * DAY);
  await expire();
  await test.passes(2000);
  expect(steps(await driver.take(test))).toEqual(['a', 'b']);
});
