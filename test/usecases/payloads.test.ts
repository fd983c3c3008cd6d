import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredPayload } from '../../shared/model/stored-payload.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { getStep } from '../../shared/usecases/list-steps.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { startChild } from '../../shared/usecases/start-child.ts';
import { dumpStore } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, claim, headOf, start, startAndTake, take } from '../helpers/worker-driver.ts';

const MIB = 1024 * 1024;

/** JSON text of exactly so many bytes that cannot be made smaller by much. */
const noise = (bytes: number): string =>
  `"${randomBytes(bytes)
    .toString('hex')
    .slice(0, bytes - 2)}"`;
/** The same of characters that take two bytes each, and compress to almost nothing. */
const repeated = (bytes: number): string => `"${'é'.repeat((bytes - 2) / 2)}"`;

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

describe.each([
  ['noise', noise],
  ['text that compresses well', repeated],
])('2 MiB of %s', (_name, text) => {
  it('are accepted and come back intact as input and output of a run and of a step', async () => {
    const [input, output, stepInput, stepOutput] = [0, 1, 2, 3].map(() => text(2 * MIB)) as [
      string,
      string,
      string,
      string,
    ];
    expect(Buffer.byteLength(input)).toBe(2 * MIB);
    const run = await start(test, { input });
    const task = await take(test);
    expect(task.input === input).toBe(true);
    await beginStep(test.engine, task.lease, { stepId: 'a', kind: 'FUNCTION', input: stepInput });
    await completeStep(test.engine, task.lease, 'a', stepOutput);
    const again = await beginStep(test.engine, task.lease, { stepId: 'a', kind: 'FUNCTION', input: stepInput });
    expect(again.cachedOutput === stepOutput).toBe(true);
    expect(again.inputChanged).toBe(false);
    await completeRun(test.engine, task.lease, output);
    const details = await getRun(test.engine, run);
    expect(details.input === input && details.output === output).toBe(true);
    const step = await getStep(test.engine, run, 'a');
    expect(step.input === stepInput && step.output === stepOutput).toBe(true);
    expect(test.telemetry.lines.filter((line) => line.message === 'large payload').length).toBeGreaterThanOrEqual(4);
  });
});

describe('one byte more than 2 MiB', () => {
  const tooLarge = `${repeated(2 * MIB)} `;
  const refused = { code: 'PAYLOAD_TOO_LARGE', details: { bytes: 2 * MIB + 1, max_bytes: 2 * MIB } };

  it('is refused as the input of a run, and nothing is written', async () => {
    const before = await dumpStore(test);
    await expect(start(test, { input: tooLarge })).rejects.toMatchObject(refused);
    expect(await dumpStore(test)).toEqual(before);
  });

  it('is refused wherever a worker gives it, and nothing is written', async () => {
    const { lease } = await startAndTake(test);
    await begin(test, lease, 'begun');
    const child = { namespace: 'shop', workflowType: 'order', taskQueue: 'default', input: tooLarge };
    const before = await dumpStore(test);
    for (const call of [
      () => completeRun(test.engine, lease, tooLarge),
      () => beginStep(test.engine, lease, { stepId: 'a', kind: 'FUNCTION', input: tooLarge }),
      () => completeStep(test.engine, lease, 'begun', tooLarge),
      () => startChild(test.engine, lease, 'child', child),
    ]) {
      await expect(call()).rejects.toMatchObject(refused);
      expect(await dumpStore(test)).toEqual(before);
    }
  });

  it('is refused as the output of a direct worker, and nothing is written', async () => {
    const run = await claim(test, await start(test));
    const before = await dumpStore(test);
    const call = recordStep(test.engine, run, { stepId: 'a', output: tooLarge, startedAt: 0 });
    await expect(call).rejects.toMatchObject(refused);
    expect(await dumpStore(test)).toEqual(before);
  });
});

describe('a payload is stored by its size and comes back intact', () => {
  const runForms: readonly (readonly [StoredPayload['at'], string])[] = [
    ['inline', noise(100)],
    ['item', noise(700)],
    ['item', repeated(20_000)],
    ['item', noise(8_000)],
    ['blob', noise(40_000)],
  ];
  it.each(runForms)('%s: of a run', async (at, text) => {
    const task = await startAndTake(test, { input: text });
    expect(task).toMatchObject({ input: text, run: { input: { at }, blobs: at === 'blob' } });
    await completeRun(test.engine, task.lease, text);
    expect(await headOf(test, task.run)).toMatchObject({ output: { at } });
    expect(await getRun(test.engine, task.run)).toMatchObject({ input: text, output: text });
  });

  const stepForms: readonly (readonly [StoredPayload['at'], string])[] = [
    ['inline', noise(1_000)],
    ['packed', repeated(20_000)],
    ['blob', noise(40_000)],
  ];
  it.each(stepForms)('%s: of a step', async (at, text) => {
    const { lease, run } = await startAndTake(test);
    await beginStep(test.engine, lease, { stepId: 'a', kind: 'FUNCTION', input: text });
    const step = await completeStep(test.engine, lease, 'a', text);
    expect(step).toMatchObject({ input: { at }, output: { at } });
    expect(await getStep(test.engine, run, 'a')).toMatchObject({ input: text, output: text });
    expect(await headOf(test, run)).toMatchObject({ blobs: at === 'blob' });
  });

  it('an empty text and no payload at all are different things', async () => {
    const { lease, run } = await startAndTake(test, { input: '""' });
    await completeRun(test.engine, lease, undefined);
    expect(await getRun(test.engine, run)).toMatchObject({ input: '""', output: undefined });
  });
});
