import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '../../shared/ports/table.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { decodeLease, encodeLease, type RunLease, requireLease } from '../../shared/usecases/lease.ts';
import { getStep } from '../../shared/usecases/list-steps.ts';
import type { Task } from '../../shared/usecases/poll-task.ts';
import { releaseRun } from '../../shared/usecases/release-run.ts';
import { renewLease } from '../../shared/usecases/renew-lease.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { startChild } from '../../shared/usecases/start-child.ts';
import { dumpStore } from '../helpers/dump-store.ts';
import { tableWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, broken, claim, doStep, headOf, lapse, start, startAndTake, take } from '../helpers/worker-driver.ts';

let test: TestEngine;
let task: Task;
beforeEach(async () => {
  test = await testEngine();
  task = await startAndTake(test);
  await doStep(test, task.lease, 'done');
  await begin(test, task.lease, 'begun');
});
afterEach(() => test.close());

const CHILD = { namespace: 'shop', workflowType: 'order', taskQueue: 'default' };

/** Every call that proves the lease before it writes. */
async function refusesEverything(lease: RunLease): Promise<void> {
  const { engine } = test;
  const before = await dumpStore(test);
  for (const call of [
    () => begin(test, lease, 'done'),
    () => begin(test, lease, 'begun'),
    () => begin(test, lease, 'next'),
    () => beginStep(engine, lease, { stepId: 'nap', kind: 'SLEEP' }),
    () => completeStep(engine, lease, 'done', '2'),
    () => completeStep(engine, lease, 'next', '2'),
    () => failStep(engine, lease, { stepId: 'begun', error: broken() }),
    () => completeRun(engine, lease, '1'),
    () => failRun(engine, lease, { error: broken() }),
    () => sleepRun(engine, lease, { stepId: 'nap', until: test.clock.now() + 1_000 }),
    () => startChild(engine, lease, 'child', CHILD),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await dumpStore(test)).toEqual(before);
  }
}

describe('a worker whose lease was lost is refused everything, and changes nothing', () => {
  it('when the watchdog has put the run back', async () => {
    await lapse(test);
    expect(await headOf(test, task.run)).toMatchObject({ status: 'PENDING' });
    await refusesEverything(task.lease);
  });

  it('when another worker has taken over and gone on', async () => {
    await lapse(test);
    const next = await take(test);
    await begin(test, next.lease, 'begun');
    await refusesEverything(task.lease);
    await expect(completeStep(test.engine, task.lease, 'begun', '2')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await completeStep(test.engine, next.lease, 'begun', '3');
    expect(await getStep(test.engine, task.run, 'begun')).toMatchObject({ output: '3' });
  });

  it('when the run was cancelled', async () => {
    await cancelRun(test.engine, task.run, null);
    await refusesEverything(task.lease);
  });

  it('when it was its own release', async () => {
    await releaseRun(test.engine, task.run);
    await refusesEverything(task.lease);
  });
});

describe('a lease that is lost after it was proved and before the write', () => {
  /** Between the two, the run is taken over; the new holder's head looks the same but for epoch and token. */
  const overtaken = (): Engine => {
    const { table } = test.engine;
    let proved = false;
    const get: Table['get'] = async (key, options) => {
      const found = await table.get(key, options);
      if (proved || key.sk !== 'head') return found;
      proved = true;
      await releaseRun(test.engine, task.run);
      await claim(test, task.run);
      return found;
    };
    return { ...test.engine, table: tableWith(table, { get }) };
  };

  it.each<[string, (engine: Engine) => Promise<unknown>]>([
    ['complete the run', (engine) => completeRun(engine, task.lease, '1')],
    ['fail the run', (engine) => failRun(engine, task.lease, { error: broken({ nonRetryable: true }) })],
    ['retry the run', (engine) => failRun(engine, task.lease, { error: broken() })],
    ['retry a step', (engine) => failStep(engine, task.lease, { stepId: 'begun', error: broken() })],
    ['sleep', (engine) => sleepRun(engine, task.lease, { stepId: 'nap', until: test.clock.now() + 60_000 })],
    ['sleep long', (engine) => sleepRun(engine, task.lease, { stepId: 'nap', until: test.clock.now() + 1e10 })],
    ['start a child', (engine) => startChild(engine, task.lease, 'child', CHILD)],
    ['renew', async (engine) => renewLease(engine, await requireLease(engine, task.lease), 2)],
    ['release', async (engine) => releaseRun(engine, await requireLease(engine, task.lease))],
  ])('does not %s', async (_what, call) => {
    await expect(call(overtaken())).rejects.toMatchObject({ code: 'LEASE_LOST' });
    const head = await headOf(test, task.run);
    expect(head).toMatchObject({ status: 'RUNNING', epoch: 3, children: false, attempts: 1 });
    expect(head.history).toMatchObject({ generation: 0, packs: [] });
  });
});

describe('a lease that was never given', () => {
  it.each([
    ['another token', { token: 'A'.repeat(22) }],
    ['a later epoch', { epoch: 2 }],
    ['an earlier epoch', { epoch: 0 }],
    ['another generation', { generation: 1 }],
  ])('is refused: %s', async (_what, forged) => {
    await refusesEverything({ ...task.lease, ...forged });
    await expect(
      completeStep(test.engine, { ...task.lease, token: 'A'.repeat(22) }, 'begun', '2'),
    ).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect((await getStep(test.engine, task.run, 'begun')).step.status).toBe('RUNNING');
  });

  it('of another incarnation or namespace does not even find the run', async () => {
    const unknown = { code: 'RUN_NOT_FOUND' };
    const before = await dumpStore(test);
    for (const lease of [
      { ...task.lease, incarnation: 'AAAAAAAAAA' },
      { ...task.lease, namespace: 'bank' },
    ]) {
      await expect(begin(test, lease, 'begun')).rejects.toMatchObject(unknown);
      await expect(completeStep(test.engine, lease, 'begun', '1')).rejects.toMatchObject(unknown);
      await expect(completeRun(test.engine, lease, '1')).rejects.toMatchObject(unknown);
    }
    expect(await dumpStore(test)).toEqual(before);
  });
});

describe('a direct worker', () => {
  it('renews its lease for as long as it likes, and no longer once it was taken over', async () => {
    let run = await claim(test, await start(test));
    for (let renewals = 0; renewals < 5; renewals++) {
      await test.passes(20_000);
      run = await renewLease(test.engine, run, 0);
    }
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING', epoch: 1 });
    await lapse(test);
    await expect(renewLease(test.engine, run, 0)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await expect(releaseRun(test.engine, run)).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it('gives a run up for another to go on with, now or later', async () => {
    const run = await claim(test, await start(test));
    await releaseRun(test.engine, run, 5_000);
    const released = { status: 'PENDING', availableAt: test.clock.now() + 5_000, stalls: 0, epoch: 2 };
    expect(await headOf(test, run)).toMatchObject(released);
    await test.passes(5_000);
    expect(await claim(test, run)).toMatchObject({ epoch: 3 });
  });
});

it('a lease survives being written down', () => {
  const text = encodeLease(task.lease);
  expect(decodeLease({ namespace: 'shop', runId: task.run.runId }, text)).toEqual(task.lease);
  for (const forged of ['', 'a.b.c.d', `${text}.`, text.replace('.1.', '.-1.'), `#${text}`]) {
    expect(decodeLease(task.run, forged)).toBeNull();
  }
});
