import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningRun } from '../../shared/model/run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { leaseOf } from '../../shared/usecases/lease.ts';
import { getStep, listSteps, type StepDetails } from '../../shared/usecases/list-steps.ts';
import { pageToken } from '../../shared/usecases/page-token.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { releaseRun } from '../../shared/usecases/release-run.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, broken, claim, headOf, start } from '../helpers/worker-driver.ts';

let test: TestEngine;
let run: RunningRun;
beforeEach(async () => {
  test = await testEngine();
  run = await claim(test, await start(test));
});
afterEach(() => test.close());

const list = (pageSize: number, token?: string) =>
  listSteps(test.engine, { ...run, pageSize, ...(token === undefined ? {} : { pageToken: token }) });

async function all(pageSize: number): Promise<StepDetails[]> {
  const steps: StepDetails[] = [];
  let token: string | undefined;
  do {
    const page = await list(pageSize, token);
    expect(page.steps.length).toBeLessThanOrEqual(pageSize);
    steps.push(...page.steps);
    token = page.nextPageToken ?? undefined;
  } while (token !== undefined);
  return steps;
}

const names = (steps: readonly StepDetails[]): string[] => steps.map(({ step }) => step.stepId);

async function record(from: number, to: number, output = '1'): Promise<string[]> {
  const wanted: string[] = [];
  for (let n = from; n < to; n++) {
    wanted.push(`step ${n}`);
    await recordStep(test.engine, run, { stepId: `step ${n}`, output, startedAt: test.clock.now() + n });
  }
  return wanted;
}

/** Given up and claimed again: with so many loose steps, the claim packs them. */
async function pack(): Promise<void> {
  const before = run.history.packs.length;
  await releaseRun(test.engine, run);
  run = await claim(test, run);
  expect(run.history.packs.length).toBe(before + 1);
}

describe('listing steps', () => {
  it('gives them in the order of creation, page by page', async () => {
    const wanted = await record(0, 25);
    expect(names(await all(10))).toEqual(wanted);
    expect(names(await all(25))).toEqual(wanted);
    expect((await list(25)).nextPageToken).toBeNull();
  });

  it('ends a page early when its payloads are large', async () => {
    const wanted = await record(0, 5, `"${'x'.repeat(1_500_000)}"`);
    expect((await list(5)).steps).toHaveLength(2);
    expect(names(await all(5))).toEqual(wanted);
  });

  it('goes through packed and loose ones, each once', async () => {
    const wanted = await record(0, 210);
    await pack();
    wanted.push(...(await record(210, 430)));
    await pack();
    wanted.push(...(await record(430, 440)));
    for (const pageSize of [7, 100]) expect(names(await all(pageSize))).toEqual(wanted);
    const one = await listSteps(test.engine, { ...run, stepId: 'step 3', pageSize: 10 });
    expect(names(one.steps)).toEqual(['step 3']);
  });

  it('shows a step that was packed while it waited as it is now, once', async () => {
    await begin(test, leaseOf(run), 'again');
    await failStep(test.engine, leaseOf(run), { stepId: 'again', error: broken(), keepLease: true });
    await record(0, 205);
    await pack();
    expect((await getStep(test.engine, run, 'again')).step.status).toBe('PENDING');
    await test.clock.advance(1_000);
    expect(await begin(test, leaseOf(run), 'again')).toMatchObject({ shouldExecute: true, step: { attempt: 2 } });
    await completeStep(test.engine, leaseOf(run), 'again', '"at last"');
    const found = (await all(50)).filter(({ step }) => step.stepId === 'again');
    expect(found).toMatchObject([{ output: '"at last"', step: { status: 'COMPLETED', attempt: 2 } }]);
    expect(await all(50)).toHaveLength(206);
    expect(await getStep(test.engine, run, 'again')).toMatchObject({ output: '"at last"' });
  });

  it('refuses tokens of another run, of before a pack, and forged ones', async () => {
    await record(0, 205);
    const { nextPageToken } = await list(10);
    const token = nextPageToken ?? '';
    const refused = { code: 'INVALID_PAGE_TOKEN' };
    const other = await start(test);
    await expect(listSteps(test.engine, { ...other, pageSize: 10, pageToken: token })).rejects.toMatchObject(refused);
    await expect(list(10, `${token}x`.slice(4))).rejects.toMatchObject(refused);
    const query = { steps: run.runId, incarnation: run.incarnation, generation: 0 };
    for (const cursor of ['x', '0:head', '0:loose:head', '-1:packed', '0.5:loose:', 'x:loose:', '0:loose:step#zzz']) {
      await expect(list(10, pageToken(query, cursor))).rejects.toMatchObject(refused);
    }
    await pack();
    await expect(list(10, token)).rejects.toMatchObject(refused);
  });

  it('of an unknown run or step does not find it', async () => {
    const unknown = listSteps(test.engine, { ...run, namespace: 'bank', pageSize: 10 });
    await expect(unknown).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(getStep(test.engine, run, 'none')).rejects.toMatchObject({ code: 'STEP_NOT_FOUND' });
    expect((await listSteps(test.engine, { ...run, stepId: 'none', pageSize: 10 })).steps).toEqual([]);
  });
});

describe('a step that was packed while it waited for its retry', () => {
  it('and then failed for good ends the run without further attempts', async () => {
    await begin(test, leaseOf(run), 'poor');
    await failStep(test.engine, leaseOf(run), { stepId: 'poor', error: broken(), keepLease: true });
    await record(0, 205);
    await pack();
    await test.clock.advance(1_000);
    await begin(test, leaseOf(run), 'poor');
    await failStep(test.engine, leaseOf(run), { stepId: 'poor', error: broken({ nonRetryable: true }) });
    await failRun(test.engine, leaseOf(run), { error: broken(), failedStepId: 'poor' });
    expect(await headOf(test, run)).toMatchObject({ status: 'FAILED' });
  });
});
