import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../shared/model/run.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { type ListRuns, listRuns, type RunFilter } from '../../shared/usecases/list-runs.ts';
import { pageToken } from '../../shared/usecases/page-token.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { broken, start, startAndTake } from '../helpers/worker-driver.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine({ config: { listShards: 3 } });
});
afterEach(() => test.close());

const list = (request: Partial<ListRuns> = {}) =>
  listRuns(test.engine, { namespace: 'shop', pageSize: 100, ...request });
const idsOf = (runs: readonly Run[]): string[] => runs.map((run) => run.runId);
const ids = async (filter: Partial<RunFilter>): Promise<string[]> => idsOf((await list(filter)).runs);

/** Follows the tokens to the end. */
async function pages(request: Partial<ListRuns>): Promise<Run[][]> {
  const found: Run[][] = [];
  let token: string | null | undefined;
  do {
    const page = await list(token ? { ...request, pageToken: token } : request);
    found.push([...page.runs]);
    token = page.nextPageToken;
  } while (token !== null);
  return found;
}

async function startMany(count: number, everyMs: number): Promise<Run[]> {
  const runs: Run[] = [];
  for (let n = 0; n < count; n++) {
    runs.push(await start(test));
    if (everyMs > 0) await test.clock.advance(everyMs);
  }
  return runs;
}

describe('listing runs', () => {
  it('shows them newest first, in pages that miss nothing and repeat nothing', async () => {
    const runs = await startMany(25, 10);
    const found = await pages({ pageSize: 10 });
    expect(found.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(idsOf(found.flat())).toEqual(idsOf(runs).reverse());
  });

  it('pages through runs of the same millisecond too, and ends with a full page', async () => {
    const runs = await startMany(20, 0);
    const found = await pages({ pageSize: 5 });
    expect(found.map((page) => page.length)).toEqual([5, 5, 5, 5]);
    expect(idsOf(found.flat()).sort()).toEqual(idsOf(runs).sort());
  });

  it('filters by class and by exact status', async () => {
    const { run: completed, lease: first } = await startAndTake(test);
    await completeRun(test.engine, first, '1');
    const { run: failed, lease: second } = await startAndTake(test);
    await failRun(test.engine, second, { error: broken({ nonRetryable: true }) });
    const { run: sleeping, lease: third } = await startAndTake(test);
    await sleepRun(test.engine, third, { stepId: 'nap', until: test.clock.now() + 60_000 });
    const { run: running } = await startAndTake(test);
    const cancelled = await cancelRun(test.engine, await start(test), null);
    const pending = await start(test);
    const byStatus = { PENDING: pending, RUNNING: running, SLEEPING: sleeping } as const;
    for (const [status, run] of Object.entries(byStatus)) {
      expect(await ids({ status: status as Run['status'] })).toEqual([run.runId]);
    }
    expect(await ids({ status: 'COMPLETED' })).toEqual([completed.runId]);
    expect(await ids({ class: 'FAILED' })).toEqual([failed.runId]);
    expect(await ids({ class: 'CANCELLED' })).toEqual([cancelled.runId]);
    const open = await ids({ class: 'OPEN' });
    expect(open.sort()).toEqual([pending.runId, running.runId, sleeping.runId].sort());
    expect(await ids({})).toHaveLength(6);
  });

  it('filters by type, version, task queue, schedule and external id', async () => {
    await start(test);
    const { runId } = await start(test, {
      workflowType: 'refund',
      version: '2',
      taskQueue: 'slow',
      fired: { scheduleId: 'nightly', fireAt: 0, tells: false },
      externalId: 'x-1',
    });
    const filters: readonly Partial<RunFilter>[] = [
      { workflowType: 'refund' },
      { version: '2' },
      { taskQueue: 'slow' },
      { scheduleId: 'nightly' },
      { externalId: 'x-1' },
      { externalId: 'x-1', status: 'PENDING', workflowType: 'refund' },
    ];
    for (const filter of filters) expect(await ids(filter)).toEqual([runId]);
    expect(await ids({ externalId: 'x-1', workflowType: 'order' })).toEqual([]);
    expect(await ids({ externalId: 'x-2' })).toEqual([]);
  });

  it('filters by time of creation: from inclusive, before exclusive', async () => {
    const [first, second, third] = (await startMany(3, 1_000)) as [Run, Run, Run];
    expect(await ids({ createdFrom: second.createdAt })).toEqual([third.runId, second.runId]);
    expect(await ids({ createdBefore: second.createdAt })).toEqual([first.runId]);
    expect(await ids({ createdFrom: second.createdAt, createdBefore: third.createdAt })).toEqual([second.runId]);
    expect(await ids({ createdFrom: third.createdAt, createdBefore: first.createdAt })).toEqual([]);
  });

  it('finds rare runs among many, over pages that may be short', async () => {
    await startMany(30, 0);
    const rare = await start(test, { workflowType: 'refund' });
    await startMany(130, 0);
    const found = await pages({ workflowType: 'refund', pageSize: 2 });
    expect(idsOf(found.flat())).toEqual([rare.runId]);
  });

  it('looks at so many for a page or a count, and says where it stopped', async () => {
    const starts = Array.from({ length: 1_001 }, () => start(test));
    await Promise.all(starts);
    const counted = { includeTotalCount: true, pageSize: 1 };
    expect((await list(counted)).total).toEqual({ count: 1_000, capped: true });
    expect((await list({ ...counted, class: 'COMPLETED' })).total).toEqual({ count: 0, capped: false });
    expect((await list({ pageSize: 1 })).total).toBeNull();
    const rare = { workflowType: 'refund', pageSize: 10 };
    const looked = await list(rare);
    expect(looked.runs).toEqual([]);
    const rest = await list({ ...rare, pageToken: looked.nextPageToken ?? 'none: it looked at all of them' });
    expect(rest).toMatchObject({ runs: [], nextPageToken: null });
  });
});

describe('a page token', () => {
  it('is good only for the query it came from', async () => {
    await startMany(3, 1);
    await startRun(test.engine, { namespace: 'bank', workflowType: 'order', taskQueue: 'default' });
    const { nextPageToken } = await list({ pageSize: 1 });
    const token = { pageToken: nextPageToken ?? '' };
    expect((await list({ pageSize: 2, ...token })).runs).toHaveLength(2);
    for (const other of [{ namespace: 'bank' }, { status: 'PENDING' }, { workflowType: 'order' }] as const) {
      await expect(list({ ...other, ...token })).rejects.toMatchObject({ code: 'INVALID_PAGE_TOKEN' });
    }
  });

  it('that is forged is refused', async () => {
    const forged = ['', 'x', '!!!', 'bnVsbA', Buffer.from('["x","y"]').toString('base64url')];
    for (const token of forged) {
      await expect(list({ pageToken: token })).rejects.toMatchObject({ code: 'INVALID_PAGE_TOKEN' });
    }
  });

  it('that is forged well shows nothing but runs of the query', async () => {
    const run = await start(test);
    const filter = { namespace: 'shop', createdFrom: run.createdAt };
    for (const cursor of ['0', '~', 'bank#OPEN#0']) {
      const page = await list({ ...filter, pageToken: pageToken({ runs: filter }, cursor) });
      expect([[], [run.runId]]).toContainEqual(idsOf(page.runs));
    }
  });
});
