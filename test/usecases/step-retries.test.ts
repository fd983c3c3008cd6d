import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { type FailStep, failStep } from '../../shared/usecases/fail-step.ts';
import type { RunLease } from '../../shared/usecases/lease.ts';
import { getStep } from '../../shared/usecases/list-steps.ts';
import { dumpStore } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, broken, headOf, startAndTake, take, takeOrNone } from '../helpers/worker-driver.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

const fixed = (maximumAttempts: number, intervalMs: number): RetryPolicy => ({
  kind: 'fixed',
  maximumAttempts,
  intervalMs,
  jitter: false,
});
const SLOW: RetryPolicy = {
  kind: 'exponential',
  maximumAttempts: 5,
  initialIntervalMs: 2_000,
  backoffCoefficient: 3,
  maximumIntervalMs: 10_000,
  jitter: false,
};

const fail = (lease: RunLease, more: Partial<FailStep> = {}) =>
  failStep(test.engine, lease, { stepId: 'a', error: broken(), ...more });

/** The waits between the attempts of step `a` until it has failed for good. */
async function waits(lease: RunLease, stepPolicy?: RetryPolicy): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const retryPolicy = stepPolicy === undefined ? {} : { retryPolicy: stepPolicy };
    const begun = await beginStep(test.engine, lease, { stepId: 'a', kind: 'FUNCTION', ...retryPolicy });
    expect(begun).toMatchObject({ shouldExecute: true, step: { attempt: found.length + 1 } });
    const { step, retryAt } = await fail(lease, { keepLease: true });
    const recorded = retryAt === null ? { status: 'FAILED' } : { status: 'PENDING', nextRetryAt: retryAt };
    expect(step).toMatchObject(recorded);
    if (retryAt === null) return found;
    found.push(retryAt - test.clock.now());
    await test.clock.advance(retryAt - test.clock.now());
  }
}

describe('a failed step is tried again', () => {
  it.each<[string, RetryPolicy | undefined, RetryPolicy | undefined, number[]]>([
    ['by the default: three attempts, 1 s, doubled', undefined, undefined, [1_000, 2_000]],
    ['by the policy of its run', fixed(4, 500), undefined, [500, 500, 500]],
    ['by its own policy before that of its run', fixed(9, 500), fixed(2, 70), [70]],
    ['ever later, up to the longest interval', undefined, SLOW, [2_000, 6_000, 10_000, 10_000]],
    ['never, if its policy says so', fixed(9, 500), { kind: 'none' }, []],
    ['never, if the policy of its run says so', { kind: 'none' }, undefined, []],
  ])('%s', async (_how, ofRun, ofStep, expected) => {
    const { lease } = await startAndTake(test, ofRun === undefined ? {} : { retryPolicy: ofRun });
    expect(await waits(lease, ofStep)).toEqual(expected);
  });

  it('when the author says, instead of when the policy says, but not more often', async () => {
    const { lease } = await startAndTake(test, { retryPolicy: fixed(2, 1_000) });
    await begin(test, lease, 'a');
    const now = test.clock.now();
    expect(await fail(lease, { retryAfterMs: 7_500, keepLease: true })).toMatchObject({ retryAt: now + 7_500 });
    await test.clock.advance(7_500);
    await begin(test, lease, 'a');
    const last = await fail(lease, { retryAfterMs: 7_500, keepLease: true });
    expect(last).toMatchObject({ retryAt: null, step: { status: 'FAILED' } });
  });

  it('not at all, if the error is non-retryable', async () => {
    const { lease } = await startAndTake(test);
    await begin(test, lease, 'a');
    const answer = await fail(lease, { error: broken({ nonRetryable: true }), retryAfterMs: 5 });
    expect(answer).toMatchObject({ retryAt: null, step: { status: 'FAILED', error: { nonRetryable: true } } });
    const again = await begin(test, lease, 'a');
    expect(again).toMatchObject({ shouldExecute: false, step: { status: 'FAILED', error: { message: 'it broke' } } });
  });
});

describe('while a step waits for its retry', () => {
  it('its run is PENDING, held by nobody, and comes back at that time, not before', async () => {
    const { lease, run } = await startAndTake(test);
    await begin(test, lease, 'a');
    const { retryAt } = await fail(lease, { retryAfterMs: 20_000 });
    const waiting = await headOf(test, run);
    expect(waiting).toMatchObject({ status: 'PENDING', availableAt: retryAt, attempts: 1, epoch: 1 });
    await test.passes(19_000);
    expect(await takeOrNone(test)).toBeNull();
    await test.passes(1_000);
    const next = await take(test);
    expect(next.history).toMatchObject([{ stepId: 'a', status: 'PENDING', attempt: 2 }]);
    expect(await begin(test, next.lease, 'a')).toMatchObject({ shouldExecute: true, step: { attempt: 2 } });
    await completeStep(test.engine, next.lease, 'a', '1');
    expect(await getStep(test.engine, run, 'a')).toMatchObject({
      step: { status: 'COMPLETED', attempt: 2, failedAttempts: [{ attempt: 1, message: 'it broke' }] },
    });
  });

  it('a worker that keeps the run is told when to begin it again', async () => {
    const { lease, run } = await startAndTake(test);
    await begin(test, lease, 'a');
    const { retryAt } = await fail(lease, { keepLease: true });
    const request = { stepId: 'a', kind: 'FUNCTION', keepLease: true } as const;
    expect(await beginStep(test.engine, lease, request)).toMatchObject({ shouldExecute: false, retryAt });
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING' });
    await test.clock.advance(1_000);
    expect(await beginStep(test.engine, lease, request)).toMatchObject({ shouldExecute: true, retryAt: null });
  });

  it('a worker that begins it too early puts the run back until then', async () => {
    const { lease, run } = await startAndTake(test);
    await begin(test, lease, 'a');
    const { retryAt } = await fail(lease, { keepLease: true });
    expect(await begin(test, lease, 'a')).toMatchObject({ shouldExecute: false, retryAt });
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', availableAt: retryAt });
  });
});

describe('the failed attempts of a step', () => {
  it('are kept newest last, at most 20, each with its times', async () => {
    const { lease, run } = await startAndTake(test, { retryPolicy: fixed(25, 10) });
    await waits(lease);
    const { step } = await getStep(test.engine, run, 'a');
    expect(step.failedAttempts.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, n) => n + 6));
    expect(step.failedAttempts.at(-1)).toMatchObject({ finishedAt: test.clock.now(), startedAt: test.clock.now() });
  });

  it('hold the beginning of a long message, wherever it is cut', async () => {
    const { lease, run } = await startAndTake(test);
    await begin(test, lease, 'a');
    const message = `${'x'.repeat(199)}😀 and so on`;
    await fail(lease, { error: broken({ message }) });
    const { step } = await getStep(test.engine, run, 'a');
    expect(step).toMatchObject({ status: 'PENDING', error: { message } });
    expect(step.failedAttempts[0]?.message.startsWith('x'.repeat(199))).toBe(true);
  });
});

describe('failing a step again, because the answer was lost,', () => {
  it.each([
    ['that waits for a retry with the run put back', { keepLease: false }],
    ['that waits for a retry in the hands of the worker', { keepLease: true }],
    ['that has failed for good', { error: broken({ nonRetryable: true }) }],
  ])('%s answers the same and writes nothing', async (_what, more) => {
    const { lease } = await startAndTake(test);
    await begin(test, lease, 'a');
    const first = await fail(lease, more);
    const before = await dumpStore(test);
    await test.clock.advance(10);
    expect(await fail(lease, more)).toEqual(first);
    expect(await dumpStore(test)).toEqual(before);
  });

  it('is refused to somebody with another token', async () => {
    const { lease } = await startAndTake(test);
    await begin(test, lease, 'a');
    await fail(lease);
    await expect(fail({ ...lease, token: 'A'.repeat(22) })).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it('also when the worker died between the step and the run', async () => {
    const { lease, run } = await startAndTake(test);
    await begin(test, lease, 'a');
    const first = await fail(lease, { keepLease: true });
    expect(await fail(lease)).toEqual(first);
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', availableAt: first.retryAt });
  });
});
