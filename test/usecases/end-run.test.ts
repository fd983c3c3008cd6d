import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../shared/model/retry-policy.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { dumpItems, dumpStore } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, broken, doStep, headOf, startAndTake, take, takeOrNone } from '../helpers/worker-driver.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

const POLICY: RetryPolicy = { kind: 'fixed', maximumAttempts: 2, intervalMs: 4_000, jitter: false };

describe('completing a run', () => {
  it('records its output and its times, and nothing wakes it any more', async () => {
    const { lease, run } = await startAndTake(test);
    await test.clock.advance(1_234);
    await completeRun(test.engine, lease, '{"ok":true}');
    const { run: ended, output } = await getRun(test.engine, run);
    expect(output).toBe('{"ok":true}');
    expect(ended).toMatchObject({
      status: 'COMPLETED',
      startedAt: run.startedAt,
      finishedAt: test.clock.now(),
      dueAt: null,
    });
    await test.passes(60_000);
    expect(await takeOrNone(test)).toBeNull();
  });

  it('again answers the same and writes nothing', async () => {
    const { lease } = await startAndTake(test);
    const first = await completeRun(test.engine, lease, '1');
    const before = await dumpStore(test);
    await test.clock.advance(10);
    expect(await completeRun(test.engine, lease, '2')).toEqual(first);
    expect(await dumpStore(test)).toEqual(before);
  });

  it('wakes whoever waits for it', async () => {
    const { lease, run } = await startAndTake(test);
    const waiting = getRun(test.engine, run, { waitMs: 20_000 });
    await test.clock.advance(1_000);
    await completeRun(test.engine, lease, '1');
    expect(await waiting).toMatchObject({ run: { status: 'COMPLETED' }, output: '1' });
  });

  it('answers a waiting caller when its time is up, whatever the run does', async () => {
    const { run } = await startAndTake(test);
    const waiting = getRun(test.engine, run, { waitMs: 20_000 });
    await test.clock.advance(20_000);
    expect(await waiting).toMatchObject({ run: { status: 'RUNNING' } });
  });
});

describe('failing a run', () => {
  it('puts it back for its next attempt, until its policy has no more', async () => {
    const first = await startAndTake(test, { retryPolicy: POLICY });
    await doStep(test, first.lease, 'a', '"kept"');
    const retryAt = test.clock.now() + 4_000;
    const answer = await failRun(test.engine, first.lease, { error: broken() });
    expect(answer).toMatchObject({ retryAt, run: { status: 'PENDING', availableAt: retryAt, attempts: 2 } });
    await test.passes(3_000);
    expect(await takeOrNone(test)).toBeNull();
    await test.passes(1_000);
    const second = await take(test);
    expect(await begin(test, second.lease, 'a')).toMatchObject({ cachedOutput: '"kept"' });
    const last = await failRun(test.engine, second.lease, { error: broken({ code: 'E2' }) });
    expect(last).toMatchObject({ retryAt: null, run: { status: 'FAILED', attempts: 2 } });
    expect(await getRun(test.engine, first.run)).toMatchObject({ error: { code: 'E2', message: 'it broke' } });
  });

  it('has three attempts by default', async () => {
    const { lease } = await startAndTake(test);
    expect(await failRun(test.engine, lease, { error: broken() })).toMatchObject({ retryAt: test.clock.now() + 1_000 });
    await test.passes(1_000);
    const second = (await take(test)).lease;
    const again = await failRun(test.engine, second, { error: broken() });
    expect(again).toMatchObject({ retryAt: test.clock.now() + 2_000 });
    await test.passes(2_000);
    const third = (await take(test)).lease;
    expect(await failRun(test.engine, third, { error: broken() })).toMatchObject({ retryAt: null });
  });

  it('ends it at once if the error is non-retryable, and later if the author says so', async () => {
    const now = test.clock.now();
    const waiting = (await startAndTake(test)).lease;
    const later = await failRun(test.engine, waiting, { error: broken(), retryAfterMs: 60_000 });
    expect(later).toMatchObject({ retryAt: now + 60_000 });
    const ending = (await startAndTake(test)).lease;
    const error = broken({ nonRetryable: true });
    expect(await failRun(test.engine, ending, { error })).toMatchObject({ retryAt: null, run: { status: 'FAILED' } });
  });

  it.each([
    ['to be retried', broken()],
    ['for good', broken({ nonRetryable: true })],
  ])('again, because the answer was lost, answers the same and writes nothing: %s', async (_how, error) => {
    const { lease } = await startAndTake(test);
    const first = await failRun(test.engine, lease, { error });
    const before = await dumpStore(test);
    await test.clock.advance(10);
    expect(await failRun(test.engine, lease, { error })).toEqual(first);
    expect(await dumpStore(test)).toEqual(before);
  });

  it('because of an exhausted step does not multiply the attempts', async () => {
    const { lease, run } = await startAndTake(test);
    await beginStep(test.engine, lease, { stepId: 'a', kind: 'FUNCTION', retryPolicy: { kind: 'none' } });
    await failStep(test.engine, lease, { stepId: 'a', error: broken() });
    const answer = await failRun(test.engine, lease, { error: broken(), failedStepId: 'a' });
    expect(answer).toMatchObject({ retryAt: null, run: { status: 'FAILED' } });
    expect(await headOf(test, run)).toMatchObject({ status: 'FAILED', attempts: 1 });
  });

  it('in the name of a step that has not failed is an ordinary failure', async () => {
    const { lease } = await startAndTake(test);
    await doStep(test, lease, 'a');
    const answer = await failRun(test.engine, lease, { error: broken(), failedStepId: 'a' });
    expect(answer).toMatchObject({ run: { status: 'PENDING' } });
  });
});

describe('the error of a failed run comes back whole', () => {
  it.each([
    ['short', { message: 'no', stack: 'at f', details: '{"n":1}' }],
    ['with a long code', { code: 'C'.repeat(100), message: 'no' }],
    ['with a message of some length', { message: 'm'.repeat(180) }],
    ['large', { message: 'ä'.repeat(2_000), stack: 's'.repeat(8_000), details: `"${'d'.repeat(16_000)}"` }],
  ])('%s, while the head stays below 1 KB', async (_size, given) => {
    const { lease, run } = await startAndTake(test, { input: `"${'i'.repeat(200)}"` });
    const error = broken({ ...given, nonRetryable: true });
    await failRun(test.engine, lease, { error });
    expect((await getRun(test.engine, run)).error).toEqual(error);
    const head = dumpItems(test).find((item) => item.sk === 'head');
    expect(Buffer.byteLength(JSON.stringify(head))).toBeLessThan(1_024);
  });

  it('bounded and without control characters', async () => {
    const { lease, run } = await startAndTake(test);
    const error = broken({ message: `\u0000${'x'.repeat(5_000)}`, nonRetryable: true });
    await failRun(test.engine, lease, { error });
    const shown = (await getRun(test.engine, run)).error?.message ?? '';
    expect(shown.startsWith('\ufffdxxx')).toBe(true);
    expect(shown).toHaveLength(2_048);
  });
});
