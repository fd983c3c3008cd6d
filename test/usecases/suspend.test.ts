import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Run } from '../../shared/model/run.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { suspendRun } from '../../shared/usecases/suspend-run.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { claim, headOf, start } from '../helpers/worker-driver.ts';

let test: TestEngine;
let run: Run;
beforeEach(async () => {
  test = await testEngine();
  run = await start(test);
});
afterEach(() => test.close());

/** Claimed, looked at for some milliseconds and put down until a time, by a worker that takes it for one to come. */
async function putDown(until: number, recorded?: string): Promise<Run> {
  const held = await claim(test, run);
  await test.clock.advance(20);
  const step = { output: undefined, startedAt: test.clock.now() };
  if (recorded !== undefined) await recordStep(test.engine, held, { ...step, stepId: recorded });
  expect(await suspendRun(test.engine, held, { until, status: 'SLEEPING', inboxRead: 0 })).toBeNull();
  return headOf(test, run);
}

const waitOf = (head: Run): number => ('availableAt' in head ? Math.max(0, head.availableAt - test.clock.now()) : -1);

it('a run that is put down until a time that has come goes on at once, the first time', async () => {
  expect(waitOf(await putDown(test.clock.now()))).toBe(0);
});

it('a run that is put down again and again until a time that has come goes on ever more rarely', async () => {
  const until = test.clock.now() - 600_000;
  const waits: number[] = [];
  for (let n = 0; n < 12; n++) {
    const wait = waitOf(await putDown(until));
    waits.push(wait / 1000);
    await test.clock.advance(wait);
  }
  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
});

it('a step, or a time to come, ends that', async () => {
  const past = (): number => test.clock.now() - 1;
  for (let n = 0; n < 4; n++) await test.clock.advance(waitOf(await putDown(past())));
  expect(waitOf(await putDown(past(), 'a'))).toBe(0);
  for (let n = 0; n < 4; n++) await test.clock.advance(waitOf(await putDown(past())));
  await putDown(test.clock.now() + 5_000);
  await test.clock.advance(5_000);
  expect(waitOf(await putDown(past()))).toBe(0);
});
