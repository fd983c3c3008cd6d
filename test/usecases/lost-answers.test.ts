import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PortError } from '../../shared/ports/port-error.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { getStep } from '../../shared/usecases/list-steps.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { LostAnswers } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, broken, claim, headOf, lapse, start, startAndTake, take } from '../helpers/worker-driver.ts';

const ORDER = { namespace: 'shop', workflowType: 'order', taskQueue: 'default' };
const isHead = (sk: string): boolean => sk === 'head';
const isStep = (sk: string): boolean => sk.startsWith('step#');

let answers: LostAnswers;
let test: TestEngine;
beforeEach(async () => {
  answers = new LostAnswers();
  test = await testEngine({ wrap: answers.wrap });
});
afterEach(async () => {
  await test.close();
  if (answers.lost !== 1) throw new Error(`${answers.lost} answers were lost in a test of one`);
});

describe('a write that was applied, but whose answer was lost, is recognised as our own:', () => {
  it('a start made the run', async () => {
    answers.once(isHead, 'PENDING');
    const first = await startRun(test.engine, { ...ORDER, externalId: 'o-1' });
    expect(first.alreadyExists).toBe(false);
    expect(await test.queue.depth('default')).toMatchObject({ ready: 1 });
    expect(await startRun(test.engine, { ...ORDER, externalId: 'o-1' })).toMatchObject({ alreadyExists: true });
  });

  it('a start made the run, although a worker has claimed it since', async () => {
    answers.once(isHead, 'PENDING');
    const first = startRun(test.engine, { ...ORDER, externalId: 'o-1' });
    answers.meanwhile = async () => {
      const other = await startRun(test.engine, { ...ORDER, externalId: 'o-1' });
      await claim(test, other.run);
    };
    expect(await first).toMatchObject({ alreadyExists: false, run: { status: 'RUNNING' } });
  });

  it('a start took over an external id whose retention has ended', async () => {
    const { lease } = await startAndTake(test, { externalId: 'o-1' });
    const old = await completeRun(test.engine, lease, '1');
    await test.clock.advance(test.engine.config.retentionMs + 1_000);
    answers.once(isHead, 'PENDING');
    const anew = await startRun(test.engine, { ...ORDER, externalId: 'o-1' });
    expect(anew).toMatchObject({ alreadyExists: false, run: { status: 'PENDING' } });
    expect(anew.run.incarnation).not.toBe(old.incarnation);
  });

  it('a claim took the run, once', async () => {
    const run = await start(test);
    answers.once(isHead, 'RUNNING');
    const task = await take(test);
    expect(task.run).toMatchObject({ runId: run.runId, epoch: 1 });
    await begin(test, task.lease, 'a');
  });

  it('a claim took the run, although the watchdog has touched it since', async () => {
    await start(test);
    await test.clock.advance(31_000);
    answers.once(isHead, 'RUNNING');
    answers.meanwhile = () => watchdogTick(test.engine);
    const task = await take(test);
    expect(task.run).toMatchObject({ epoch: 1, status: 'RUNNING' });
    await completeRun(test.engine, task.lease, '1');
  });

  it('a begin started the step', async () => {
    const { lease } = await startAndTake(test);
    answers.once(isStep, 'RUNNING');
    expect(await begin(test, lease, 'a')).toMatchObject({ shouldExecute: true, step: { attempt: 1 } });
  });

  it('a completion recorded the result of the step', async () => {
    const { lease, run } = await startAndTake(test);
    await begin(test, lease, 'a');
    answers.once(isStep, 'COMPLETED');
    expect(await completeStep(test.engine, lease, 'a', '"mine"')).toMatchObject({ status: 'COMPLETED' });
    expect(await getStep(test.engine, run, 'a')).toMatchObject({ output: '"mine"' });
    expect(test.telemetry.counts.get('steps_completed')).toBe(1);
  });

  it('a direct worker recorded the result of the step', async () => {
    const run = await claim(test, await start(test));
    answers.once(isStep, 'COMPLETED');
    const step = await recordStep(test.engine, run, { stepId: 'a', output: '1', startedAt: test.clock.now() });
    expect(step).toMatchObject({ status: 'COMPLETED', epoch: 1 });
    expect(test.telemetry.counts.get('steps_completed')).toBe(1);
  });

  it('a failure was counted once', async () => {
    const { lease } = await startAndTake(test);
    await begin(test, lease, 'a');
    answers.once(isStep, 'PENDING');
    const { step } = await failStep(test.engine, lease, { stepId: 'a', error: broken() });
    expect(step).toMatchObject({ status: 'PENDING', attempt: 2, failedAttempts: [{ attempt: 1 }] });
  });

  it('a retry of the run was counted once', async () => {
    const { lease, run } = await startAndTake(test);
    answers.once(isHead, 'PENDING');
    expect(await failRun(test.engine, lease, { error: broken() })).toMatchObject({ run: { attempts: 2 } });
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', attempts: 2 });
  });

  it('a completion ended the run', async () => {
    const { lease } = await startAndTake(test);
    answers.once(isHead, 'COMPLETED');
    expect(await completeRun(test.engine, lease, '1')).toMatchObject({ status: 'COMPLETED' });
    expect(test.telemetry.counts.get('runs_completed')).toBe(1);
  });

  it('a cancel ended the run', async () => {
    const { run } = await startAndTake(test);
    answers.once(isHead, 'CANCELLED');
    expect(await cancelRun(test.engine, run, 'stop')).toMatchObject({ status: 'CANCELLED', epoch: 2, reason: 'stop' });
  });

  it('a sleep put the run to sleep', async () => {
    const { lease, run } = await startAndTake(test);
    answers.once(isHead, 'SLEEPING');
    const until = test.clock.now() + 60_000;
    const answer = await sleepRun(test.engine, lease, { stepId: 'nap', until });
    expect(answer).toMatchObject({ wakeAt: until, run: { status: 'SLEEPING' } });
    expect(await test.queue.depth('default')).toMatchObject({ delayed: 1 });
    expect(await headOf(test, run)).toMatchObject({ status: 'SLEEPING', epoch: 1 });
  });

  it('a sleep put the run to sleep, although the watchdog has touched it since', async () => {
    const { lease, run } = await startAndTake(test);
    answers.once(isHead, 'SLEEPING');
    answers.meanwhile = () => test.table.update({ pk: `shop#run#${run.runId}`, sk: 'head' }, { set: { w: 'other' } });
    const until = test.clock.now() + 60_000;
    const answer = await sleepRun(test.engine, lease, { stepId: 'nap', until });
    expect(answer).toMatchObject({ wakeAt: until, run: { status: 'SLEEPING' } });
  });

  it('a wake time was decided', async () => {
    const { lease } = await startAndTake(test);
    answers.once(isStep, 'SLEEPING');
    const until = test.clock.now() + 60_000;
    expect(await sleepRun(test.engine, lease, { stepId: 'nap', until })).toMatchObject({ wakeAt: until });
  });

  it('a recovery took the run from a silent worker, once', async () => {
    const run = await claim(test, await start(test));
    answers.once(isHead, 'PENDING');
    await lapse(test);
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING', epoch: 2, stalls: 1 });
    expect(test.telemetry.counts.get('leases_recovered')).toBe(1);
  });
});

describe('a world that stays silent', () => {
  it('is told to the caller, and asking again later gives the answer', async () => {
    const { lease, run } = await startAndTake(test);
    answers.lose = (write) => write.status === 'COMPLETED';
    answers.meanwhile = () => Promise.reject(new PortError('invalid', 'gave up'));
    await expect(completeRun(test.engine, lease, '1')).rejects.toBeInstanceOf(PortError);
    expect(await headOf(test, run)).toMatchObject({ status: 'COMPLETED' });
    expect(await completeRun(test.engine, lease, '1')).toMatchObject({ status: 'COMPLETED' });
  });

  it('between the decision and the sleep leaves the decision for the next worker', async () => {
    const { lease, run } = await startAndTake(test);
    answers.lose = (write) => isStep(write.sk);
    answers.meanwhile = () => Promise.reject(new PortError('invalid', 'the worker died'));
    const until = test.clock.now() + 600_000;
    await expect(sleepRun(test.engine, lease, { stepId: 'nap', until })).rejects.toBeInstanceOf(PortError);
    answers.lose = () => false;
    await lapse(test);
    const next = await take(test);
    const begun = await beginStep(test.engine, next.lease, { stepId: 'nap', kind: 'SLEEP' });
    expect(begun).toMatchObject({ shouldExecute: true, step: { wakeAt: until } });
    const again = await sleepRun(test.engine, next.lease, { stepId: 'nap', until: until + 31_000 });
    expect(again).toMatchObject({ wakeAt: until, elapsed: false });
    expect(await headOf(test, run)).toMatchObject({ status: 'SLEEPING', availableAt: until });
  });
});
