import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KagziError } from '../../shared/model/errors.ts';
import type { Run, RunId } from '../../shared/model/run.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import type { Task } from '../../shared/usecases/poll-task.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { releaseLeasedRun } from '../../shared/usecases/release-run.ts';
import { renewLease } from '../../shared/usecases/renew-lease.ts';
import { requestCancel } from '../../shared/usecases/request-cancel.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { suspendLeasedRun } from '../../shared/usecases/suspend-run.ts';
import { countRows, dumpStore } from '../helpers/dump-store.ts';
import { tableWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, broken, claim, doStep, headOf, start, startAndTake, takeOrNone } from '../helpers/worker-driver.ts';

let test: TestEngine;
/** Before which write somebody else asks for the cancellation, once. */
let isAskedBefore: (sk: string, status: unknown) => boolean;
let askNow: () => Promise<unknown>;
beforeEach(async () => {
  isAskedBefore = () => false;
  test = await testEngine({
    wrap: (parts) => ({
      ...parts,
      table: tableWith(parts.table, {
        update: async (key, changes, condition) => {
          if (isAskedBefore(key.sk, changes.set?.['st'])) {
            isAskedBefore = () => false;
            await askNow();
          }
          return parts.table.update(key, changes, condition);
        },
      }),
    }),
  });
});
afterEach(() => test.close());

const HOUR = 3_600_000;

const OPEN: readonly (readonly [string, () => Promise<Run>])[] = [
  ['PENDING', () => start(test)],
  ['PENDING until later', () => start(test, { startAt: test.clock.now() + HOUR })],
  ['RUNNING', async () => (await startAndTake(test)).run],
  [
    'SLEEPING',
    async () => {
      const { lease, run } = await startAndTake(test);
      await sleepRun(test.engine, lease, { stepId: 'nap', until: test.clock.now() + HOUR });
      return run;
    },
  ],
];

describe('a cancel', () => {
  it.each(OPEN)('ends a run that is %s, for good', async (_status, make) => {
    const run = await make();
    const { epoch } = await headOf(test, run);
    const cancelled = await cancelRun(test.engine, run, 'no longer wanted');
    const ended = { status: 'CANCELLED', reason: 'no longer wanted', epoch: epoch + 1, dueAt: null };
    expect(cancelled).toMatchObject({ ...ended, finishedAt: test.clock.now() });
    expect(await getRun(test.engine, run)).toMatchObject({ run: ended, output: undefined, error: null });
    expect(countRows(test, 'timers')).toBe(0);
    await test.clock.advance(HOUR);
    await test.passes(1_000);
    expect(await takeOrNone(test)).toBeNull();
    expect((await claimRun(test.engine, run, { owner: 'x', session: null })).outcome).toBe('moot');
    expect(await headOf(test, run)).toEqual(cancelled);
  });

  const ENDED: readonly (readonly [string, () => Promise<Run>])[] = [
    ['COMPLETED', async () => completeRun(test.engine, (await startAndTake(test)).lease, '1')],
    [
      'FAILED',
      async () => {
        const error = broken({ nonRetryable: true });
        return (await failRun(test.engine, (await startAndTake(test)).lease, { error })).run;
      },
    ],
    ['CANCELLED', async () => cancelRun(test.engine, await start(test), null)],
  ];
  it.each(ENDED)('of a run that is %s is refused and changes nothing', async (status, make) => {
    const run = await make();
    const before = await dumpStore(test);
    const refusal = { code: 'RUN_FINISHED', details: { status } };
    await expect(cancelRun(test.engine, run, 'again')).rejects.toMatchObject(refusal);
    expect(await dumpStore(test)).toEqual(before);
  });

  it('of an unknown run, or one of another namespace, does not find it', async () => {
    const run = await start(test);
    const call = cancelRun(test.engine, { ...run, namespace: 'bank' }, null);
    await expect(call).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING' });
  });

  it('is given to one of many that ask at once; the others learn that it has ended', async () => {
    const run = await start(test);
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => cancelRun(test.engine, run, null)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = asked.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as KagziError] : []));
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['RUN_FINISHED']));
  });

  it('wins against a completion or loses to it, never both', async () => {
    for (let n = 0; n < 10; n++) {
      const { lease, run } = await startAndTake(test);
      const [cancelled, completed] = await Promise.allSettled([
        cancelRun(test.engine, run, null),
        completeRun(test.engine, lease, '1'),
      ]);
      const winner = cancelled.status === 'fulfilled' ? 'CANCELLED' : 'COMPLETED';
      expect(completed.status === 'fulfilled').toBe(winner === 'COMPLETED');
      expect(await headOf(test, run)).toMatchObject({ status: winner });
    }
  });
});

describe('after a cancel was answered', () => {
  it('the result of a body that was under way is recorded as late, and the run stays as it is', async () => {
    const { lease, run } = await startAndTake(test);
    await doStep(test, lease, 'before');
    await begin(test, lease, 'under way');
    await test.clock.advance(100);
    const cancelled = await cancelRun(test.engine, run, null);
    await test.clock.advance(100);
    await expect(completeStep(test.engine, lease, 'under way', '"late"')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await expect(completeRun(test.engine, lease, '1')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await headOf(test, run)).toEqual(cancelled);
    const { steps } = await listSteps(test.engine, { ...run, pageSize: 10 });
    expect(steps.map(({ step, late }) => [step.stepId, step.status, late])).toEqual([
      ['before', 'COMPLETED', false],
      ['under way', 'COMPLETED', true],
    ]);
  });

  it('the result of a direct worker is late too', async () => {
    const run = await claim(test, await start(test));
    await cancelRun(test.engine, run, null);
    await test.clock.advance(1);
    await recordStep(test.engine, run, { stepId: 'a', output: '1', startedAt: test.clock.now() });
    const { steps } = await listSteps(test.engine, { ...run, pageSize: 10 });
    expect(steps).toMatchObject([{ step: { stepId: 'a' }, late: true }]);
    expect(await headOf(test, run)).toMatchObject({ status: 'CANCELLED' });
  });
});

const YEAR = 365 * 86_400_000;
const GRACE = { reason: null, graceMs: 10_000 };
const ask = (run: RunId) => requestCancel(test.engine, run, GRACE);

/** Every way in which a worker puts a run down for as long as it likes. */
const PUT_DOWN: readonly (readonly [string, (task: Task) => Promise<unknown>])[] = [
  ['a sleep', ({ lease }) => sleepRun(test.engine, lease, { stepId: 'nap', until: test.clock.now() + YEAR })],
  [
    'a suspension',
    ({ lease }) => {
      const wait = { until: test.clock.now() + YEAR, status: 'SLEEPING', inboxRead: 1 } as const;
      return suspendLeasedRun(test.engine, lease, wait);
    },
  ],
  [
    'the retry of a step',
    async ({ lease }) => {
      await begin(test, lease, 'a');
      await failStep(test.engine, lease, { stepId: 'a', error: broken(), retryAfterMs: YEAR });
    },
  ],
  ['a retry of the run', ({ lease }) => failRun(test.engine, lease, { error: broken(), retryAfterMs: YEAR })],
  ['a release', ({ lease }) => releaseLeasedRun(test.engine, lease, YEAR)],
];

describe('the end of the grace of a cancellation', () => {
  it.each(PUT_DOWN)('comes in time though its worker has put the run down: %s', async (_how, putDown) => {
    const task = await startAndTake(test);
    await ask(task.run);
    await putDown(task);
    expect(await headOf(test, task.run)).toMatchObject({ availableAt: test.clock.now() + YEAR });
    await test.passes(11_000);
    expect(await headOf(test, task.run)).toMatchObject({ status: 'CANCELLED' });
  });

  it.each(PUT_DOWN)(
    'comes in time also if it was asked for while the run was being put down: %s',
    async (_how, putDown) => {
      const task = await startAndTake(test);
      // After the head was read, and before it is written.
      isAskedBefore = (sk, status) => sk === 'head' && (status === 'SLEEPING' || status === 'PENDING');
      askNow = () => ask(task.run);
      await putDown(task);
      const head = await headOf(test, task.run);
      expect(head.cancelAt).not.toBeNull();
      await test.passes(11_000);
      expect(await headOf(test, task.run)).toMatchObject({ status: 'CANCELLED' });
    },
  );

  it('comes in time for a run whose lease is kept', async () => {
    const run = await claim(test, await start(test));
    await test.passes(5_000);
    await ask(run);
    for (let seconds = 0; seconds < 11; seconds++) {
      const held = await headOf(test, run);
      if (held.status === 'RUNNING') await renewLease(test.engine, held, 0);
      await test.passes(1_000);
    }
    expect(await headOf(test, run)).toMatchObject({ status: 'CANCELLED' });
  });

  it('comes in time for a run that had waited for a worker, and is claimed only then', async () => {
    const { lease, run } = await startAndTake(test);
    await sleepRun(test.engine, lease, { stepId: 'nap', until: test.clock.now() + 1_000 });
    await test.passes(100_000);
    const asked = await ask(run);
    expect(asked.resends).toBeGreaterThan(0);
    expect(await claimRun(test.engine, asked, { owner: 'late', session: null })).toMatchObject({ outcome: 'claimed' });
    await test.passes(11_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'CANCELLED' });
  });

  it('comes in time for a run that was recovered meanwhile', async () => {
    const run = await claim(test, await start(test));
    await test.clock.advance(25_000);
    await ask(run);
    await test.passes(11_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'CANCELLED' });
  });
});
