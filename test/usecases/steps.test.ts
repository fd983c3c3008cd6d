import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { getStep, listSteps } from '../../shared/usecases/list-steps.ts';
import type { Task } from '../../shared/usecases/poll-task.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { dumpStore } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, broken, claim, doStep, lapse, start, startAndTake, take } from '../helpers/worker-driver.ts';

let test: TestEngine;
let task: Task;
beforeEach(async () => {
  test = await testEngine();
  task = await startAndTake(test);
});
afterEach(() => test.close());

const NONE = { kind: 'none' } as const;

describe('beginning a step', () => {
  it('records its start, its input and its place', async () => {
    const begun = await beginStep(test.engine, task.lease, {
      stepId: 'a',
      kind: 'FUNCTION',
      input: '[1]',
      parentStepId: 'p',
      parallelGroup: 'g',
    });
    expect(begun).toMatchObject({ shouldExecute: true, inputChanged: false, retryAt: null, cachedOutput: undefined });
    expect(await getStep(test.engine, task.run, 'a')).toMatchObject({
      step: { status: 'RUNNING', attempt: 1, parentStepId: 'p', parallelGroup: 'g', startedAt: test.clock.now() },
      input: '[1]',
      idempotencyKey: begun.idempotencyKey,
    });
  });

  it('again answers the same and writes nothing', async () => {
    const first = await begin(test, task.lease, 'a');
    const before = await dumpStore(test);
    expect(await begin(test, task.lease, 'a')).toEqual(first);
    expect(await dumpStore(test)).toEqual(before);
  });

  it('that is completed answers the recorded output, also to the next worker', async () => {
    await doStep(test, task.lease, 'a', '"out"');
    await lapse(test);
    const next = await take(test);
    const cached = { shouldExecute: false, cachedOutput: '"out"', inputChanged: false, retryAt: null };
    expect(await begin(test, next.lease, 'a')).toMatchObject(cached);
    expect(next.history).toMatchObject([{ stepId: 'a', status: 'COMPLETED' }]);
  });

  it('with another input answers what is recorded, says so and warns', async () => {
    const request = { stepId: 'a', kind: 'FUNCTION', input: '1' } as const;
    await beginStep(test.engine, task.lease, request);
    await completeStep(test.engine, task.lease, 'a', '"out"');
    const changed = await beginStep(test.engine, task.lease, { ...request, input: '2' });
    expect(changed).toMatchObject({ shouldExecute: false, cachedOutput: '"out"', inputChanged: true });
    const warnings = test.telemetry.lines.filter((line) => line.message.includes('another input'));
    expect(warnings).toMatchObject([{ level: 'warn', fields: { run_id: task.run.runId, step_id: 'a' } }]);
    expect(await getStep(test.engine, task.run, 'a')).toMatchObject({ input: '1' });
  });

  it('as another kind than recorded is a conflict', async () => {
    await begin(test, task.lease, 'a');
    await sleepRun(test.engine, task.lease, { stepId: 'nap', until: test.clock.now() });
    const before = await dumpStore(test);
    for (const [stepId, kind] of [
      ['a', 'SLEEP'],
      ['a', 'CHILD_WORKFLOW'],
      ['nap', 'FUNCTION'],
    ] as const) {
      const call = beginStep(test.engine, task.lease, { stepId, kind });
      await expect(call).rejects.toMatchObject({ code: 'STEP_KIND_CONFLICT', details: { given: kind } });
    }
    expect(await dumpStore(test)).toEqual(before);
  });

  it('that a worker before us left running takes it over with the same idempotency key', async () => {
    const first = await beginStep(test.engine, task.lease, { stepId: 'a', kind: 'FUNCTION', input: '1' });
    await lapse(test);
    const next = await take(test);
    const second = await beginStep(test.engine, next.lease, { stepId: 'a', kind: 'FUNCTION', input: '1' });
    expect(second).toMatchObject({ shouldExecute: true, idempotencyKey: first.idempotencyKey });
    expect(second.step).toMatchObject({ epoch: next.lease.epoch, createdAt: first.step?.createdAt, attempt: 1 });
    await expect(completeStep(test.engine, task.lease, 'a', '"old"')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await completeStep(test.engine, next.lease, 'a', '"new"');
    expect(await getStep(test.engine, task.run, 'a')).toMatchObject({ output: '"new"' });
  });
});

describe('completing a step', () => {
  it('again answers what was recorded first', async () => {
    await begin(test, task.lease, 'a');
    const first = await completeStep(test.engine, task.lease, 'a', '1');
    await test.clock.advance(10);
    expect(await completeStep(test.engine, task.lease, 'a', '2')).toEqual(first);
    expect(await getStep(test.engine, task.run, 'a')).toMatchObject({ output: '1' });
  });

  it('that was not begun, waits for a retry or has failed is refused', async () => {
    const complete = (stepId: string) => completeStep(test.engine, task.lease, stepId, '1');
    await expect(complete('never')).rejects.toMatchObject({ code: 'STEP_NOT_BEGUN' });
    await begin(test, task.lease, 'waits');
    await failStep(test.engine, task.lease, { stepId: 'waits', error: broken(), keepLease: true });
    await expect(complete('waits')).rejects.toMatchObject({ code: 'STEP_NOT_BEGUN', details: { status: 'PENDING' } });
    await beginStep(test.engine, task.lease, { stepId: 'failed', kind: 'FUNCTION', retryPolicy: NONE });
    await failStep(test.engine, task.lease, { stepId: 'failed', error: broken() });
    await expect(complete('failed')).rejects.toMatchObject({ code: 'STEP_FINISHED', details: { status: 'FAILED' } });
  });

  it('begun by a worker before us is refused until we have begun it', async () => {
    await begin(test, task.lease, 'a');
    await lapse(test);
    const { lease } = await take(test);
    await expect(completeStep(test.engine, lease, 'a', '1')).rejects.toMatchObject({ code: 'STEP_NOT_BEGUN' });
    await expect(failStep(test.engine, lease, { stepId: 'a', error: broken() })).rejects.toMatchObject({
      code: 'STEP_NOT_BEGUN',
    });
  });
});

describe('a direct worker', () => {
  it('records a result with one put, and adopts what was recorded first', async () => {
    const run = await claim(test, await start(test));
    test.table.reset();
    const request = { stepId: 'a', output: '1', startedAt: test.clock.now() };
    const first = await recordStep(test.engine, run, request);
    expect(test.table.snapshot()).toMatchObject({ writeUnits: 1, readUnits: 0, calls: { put: 1, get: 0, update: 0 } });
    expect(await recordStep(test.engine, run, { ...request, output: '2' })).toEqual(first);
  });

  it('keeps the story of a step that was begun before', async () => {
    const { run, lease } = task;
    await beginStep(test.engine, lease, { stepId: 'a', kind: 'FUNCTION', input: '"in"' });
    await failStep(test.engine, lease, { stepId: 'a', error: broken({ code: 'E1' }), keepLease: true });
    await recordStep(test.engine, run, { stepId: 'a', output: '1', startedAt: test.clock.now() });
    const { steps } = await listSteps(test.engine, { ...run, stepId: 'a', pageSize: 1 });
    expect(steps).toMatchObject([
      { step: { status: 'COMPLETED', attempt: 2, failedAttempts: [{ attempt: 1, code: 'E1' }] }, input: '"in"' },
    ]);
  });
});
