import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itemSize } from '../../shared/model/item-size.ts';
import type { RunningRun } from '../../shared/model/run.ts';
import { createEngine } from '../../shared/store/engine.ts';
import { headKey } from '../../shared/store/keys.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { exportRun } from '../../shared/usecases/export-run.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { leaseOf } from '../../shared/usecases/lease.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import { recordStep } from '../../shared/usecases/record-step.ts';
import { releaseRun } from '../../shared/usecases/release-run.ts';
import { itemsOf } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { begin, claim, doStep, headOf, lapse, start, take, takeOrNone } from '../helpers/worker-driver.ts';

let test: TestEngine;
let run: RunningRun;
beforeEach(async () => {
  test = await testEngine();
  run = await claim(test, await start(test, { externalId: 'a-rather-long-external-id-0123456789', input: '"in"' }));
});
afterEach(() => test.close());

const record = (from: number, to: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: to - from }, (_, n) =>
      recordStep(test.engine, run, {
        stepId: `step-${from + n}`,
        output: `"${from + n}"`,
        startedAt: test.clock.now(),
      }),
    ),
  );

async function listAll(): Promise<string[]> {
  const found: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await listSteps(test.engine, { ...run, pageSize: 1_000, ...(pageToken ? { pageToken } : {}) });
    found.push(...page.steps.map(({ step, output }) => `${step.stepId}=${output}`));
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
  return found;
}

async function headBytes(): Promise<number> {
  const { item } = await test.table.get(headKey(run));
  return item === null ? Number.NaN : itemSize(item);
}

const expected = (count: number): string[] => Array.from({ length: count }, (_, n) => `step-${n}="${n}"`).sort();

/** As another process would claim it: it remembers nothing. */
async function claimElsewhere() {
  const result = await claimRun(createEngine(test.engine), run, { owner: 'elsewhere', session: null });
  if (result.outcome !== 'claimed') throw new Error(`the claim was ${result.outcome}`);
  return result;
}

describe('a history of 10,000 steps', () => {
  it('recorded under one lease is resumed whole after the lease has lapsed, and completes', async () => {
    await record(0, 10_000);
    expect((await listAll()).sort()).toEqual(expected(10_000));
    await lapse(test);
    const task = await take(test);
    expect(task.history).toHaveLength(10_000);
    expect(new Set(task.history.map((step) => step.stepId)).size).toBe(10_000);
    expect(task.run).toMatchObject({ steps: 10_000, history: { packedSteps: 10_000, generation: 1 } });
    expect(await headBytes()).toBeLessThan(1_024);
    expect(await begin(test, task.lease, 'step-4321')).toMatchObject({ shouldExecute: false, cachedOutput: '"4321"' });
    test.table.reset();
    await doStep(test, task.lease, 'the last');
    expect(test.table.snapshot().writeUnits).toBe(2);
    await completeRun(test.engine, task.lease, '"all"');
    expect(await getRun(test.engine, run)).toMatchObject({ run: { status: 'COMPLETED' }, output: '"all"' });
    expect((await listAll()).sort()).toEqual([...expected(10_000), 'the last="done"'].sort());
    const part = await exportRun(test.engine, run, undefined);
    expect(part.steps).toHaveLength(1_000);
    expect(part.nextPageToken).not.toBeNull();
  });

  it('recorded over 40 claims keeps the head below 1 KB, whatever it is packed into', async () => {
    let packs = 0;
    for (let n = 0; n < 40; n++) {
      await record(n * 250, (n + 1) * 250);
      await releaseRun(test.engine, run);
      run = await claim(test, run);
      expect(await headBytes()).toBeLessThan(1_024);
      packs = Math.max(packs, run.history.packs.length);
    }
    expect(packs).toBe(15);
    expect((await listAll()).sort()).toEqual(expected(10_000));
    await releaseRun(test.engine, run);
    const resumed = await claimElsewhere();
    expect(resumed.history).toHaveLength(10_000);
    await completeRun(test.engine, leaseOf(resumed.run), `"${'x'.repeat(5_000)}"`);
    expect(await headBytes()).toBeLessThan(1_024);
  });
});

describe('a resume that reads fewer steps than the head knows of', () => {
  const failed = { run: { status: 'FAILED' }, error: { code: 'HISTORY_INCOMPLETE', nonRetryable: true } };
  const lose = async (prefix: string): Promise<void> => {
    const item = itemsOf(test, run).findLast(({ sk }) => sk.startsWith(prefix));
    if (item === undefined) throw new Error(`nothing begins with ${prefix}`);
    await test.table.delete({ pk: item.pk, sk: item.sk });
  };

  it('fails the run rather than execute a lost step again', async () => {
    await record(0, 3);
    await releaseRun(test.engine, run);
    expect(await headOf(test, run)).toMatchObject({ steps: 3 });
    await lose('step#');
    expect(await takeOrNone(test)).toBeNull();
    expect(await getRun(test.engine, run)).toMatchObject(failed);
  });

  it('also if a part of the packed history is lost', async () => {
    await record(0, 2_500);
    await releaseRun(test.engine, run);
    run = await claim(test, run);
    await releaseRun(test.engine, run);
    await lose('pack#');
    const result = await claimRun(createEngine(test.engine), run, { owner: 'elsewhere', session: null });
    expect(result.outcome).toBe('moot');
    expect(await getRun(test.engine, run)).toMatchObject(failed);
  });
});

it('a fresh run reads no history, a resumed one packs it only when it is long', async () => {
  test.table.reset();
  run = await claim(test, await start(test));
  expect(test.table.snapshot()).toMatchObject({ calls: { query: 0, get: 0 } });
  await record(0, 200);
  await releaseRun(test.engine, run);
  run = await claim(test, run);
  expect(run.history).toMatchObject({ generation: 0, packs: [] });
  await record(200, 201);
  await releaseRun(test.engine, run);
  run = await claim(test, run);
  expect(run.history).toMatchObject({ generation: 1, packedSteps: 201 });
});
