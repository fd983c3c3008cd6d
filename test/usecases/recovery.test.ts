import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import type { Run, RunningRun } from '../../shared/model/run.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { leaseOf } from '../../shared/usecases/lease.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { recoverRun } from '../../shared/usecases/recover-run.ts';
import { renewLease } from '../../shared/usecases/renew-lease.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, broken, claim, doStep, headOf, start, startAndTake, take } from '../helpers/worker-driver.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

/** Claims it and dies; answers how long after the recovery the run is available again, or null if it has ended. */
async function crash(run: Run, meanwhile: (held: RunningRun) => Promise<unknown> = async () => undefined) {
  const waiting = await headOf(test, run);
  if ('availableAt' in waiting) await test.clock.advance(Math.max(0, waiting.availableAt - test.clock.now()));
  const held = await claim(test, run);
  await meanwhile(held);
  await test.clock.advance(test.engine.config.leaseMs - 1_000);
  for (let seconds = 0; seconds < 5; seconds++) {
    await test.passes(1_000);
    const now = await headOf(test, run);
    if (now.status === 'PENDING') return now.availableAt - test.clock.now();
    if (now.status !== 'RUNNING') return null;
  }
  throw new Error('the watchdog did not find it');
}

async function crashUntilEnded(run: Run): Promise<number[]> {
  const waits: number[] = [];
  for (;;) {
    const wait = await crash(run);
    if (wait === null) return waits;
    waits.push(wait);
  }
}

const record = (stepId: string) => (held: RunningRun) =>
  recordStep(test.engine, held, { stepId, output: '1', startedAt: test.clock.now() });

describe('a lease that lapses', () => {
  it('is recovered as soon as it has ended, not before', async () => {
    const run = await claim(test, await start(test));
    await test.passes(29_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING' });
    await test.passes(1_000);
    const recovered = { status: 'PENDING', epoch: 2, stalls: 1, availableAt: test.clock.now() };
    expect(await headOf(test, run)).toMatchObject(recovered);
    expect(await take(test)).toMatchObject({ run: { runId: run.runId, epoch: 3, attempts: 1 } });
    expect(test.telemetry.counts.get('leases_recovered')).toBe(1);
  });

  it.each([
    ['the run is dispatched again', 0],
    ['the run would fail', 9],
  ])('but was renewed after it was looked at stays with its worker, also where %s', async (_what, stalls) => {
    const run = await claim(test, await start(test));
    await test.clock.advance(31_000);
    await renewLease(test.engine, run, 0);
    await recoverRun(test.engine, { ...run, stalls });
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING', epoch: 1 });
    await test.passes(31_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', epoch: 2 });
  });

  it('is recovered at once the first time, then by the backoff, and after five without progress the run fails', async () => {
    const run = await start(test);
    expect(await crashUntilEnded(run)).toEqual([0, 1_000, 2_000, 4_000, 8_000]);
    const { run: failed, error } = await getRun(test.engine, run);
    expect(failed).toMatchObject({ status: 'FAILED', attempts: 1 });
    expect(error).toMatchObject({ code: 'STALLED', nonRetryable: true });
    expect(Object.fromEntries(test.telemetry.counts)).toMatchObject({
      runs_stalled: 1,
      runs_failed: 1,
      leases_recovered: 5,
    });
  });

  it('is taken from its owner when the run fails for it: what the owner says of its end is not taken for its own', async () => {
    const run = await start(test);
    for (let n = 0; n < 5; n++) await crash(run);
    await test.clock.advance(8_000);
    const held = await claim(test, run);
    await test.passes(31_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'FAILED', epoch: held.epoch + 1 });
    const late = failRun(test.engine, leaseOf(held), { error: broken({ nonRetryable: true }) });
    await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it('is recovered as often as the policy allows, if that is more, at its intervals', async () => {
    const retryPolicy: RetryPolicy = { kind: 'fixed', maximumAttempts: 7, intervalMs: 300, jitter: false };
    const run = await start(test, { retryPolicy });
    expect(await crashUntilEnded(run)).toEqual([0, 300, 300, 300, 300, 300, 300]);
  });

  it('is recovered five times also if the policy allows no retry: nothing has failed', async () => {
    const run = await start(test, { retryPolicy: { kind: 'none' } });
    expect(await crashUntilEnded(run)).toHaveLength(5);
  });

  it('is forgotten once a step was recorded in between', async () => {
    const run = await start(test);
    for (let n = 0; n < 4; n++) await crash(run);
    expect(await headOf(test, run)).toMatchObject({ stalls: 4, steps: 0 });
    expect(await crash(run, record('a'))).toBe(0);
    expect(await headOf(test, run)).toMatchObject({ stalls: 1, steps: 1 });
    expect(await crashUntilEnded(run)).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('is forgotten once a renewal has told of progress', async () => {
    const run = await start(test);
    for (let n = 0; n < 3; n++) await crash(run);
    await crash(run, async (held) => {
      await record('a')(held);
      await renewLease(test.engine, held, 1);
    });
    expect(await headOf(test, run)).toMatchObject({ stalls: 1, steps: 1 });
  });

  it('loses nothing that was recorded before', async () => {
    const { lease, run } = await startAndTake(test);
    await doStep(test, lease, 'a', '"kept"');
    await begin(test, lease, 'b');
    await test.passes(31_000);
    const next = await take(test);
    expect(next.run).toMatchObject({ runId: run.runId, steps: 2 });
    expect(next.history.map((step) => [step.stepId, step.status])).toEqual([
      ['a', 'COMPLETED'],
      ['b', 'RUNNING'],
    ]);
  });
});
