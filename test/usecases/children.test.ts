import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PortError } from '../../shared/ports/port-error.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { deleteRun } from '../../shared/usecases/delete-run.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import type { RunLease } from '../../shared/usecases/lease.ts';
import { getStep } from '../../shared/usecases/list-steps.ts';
import type { Task } from '../../shared/usecases/poll-task.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { startChild } from '../../shared/usecases/start-child.ts';
import { type StartRun, startRun } from '../../shared/usecases/start-run.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { itemsOf } from '../helpers/dump-store.ts';
import { evenIds, tableWith } from '../helpers/faulty-parts.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { broken, headOf, lapse, register, startAndTake, take, takeOrNone } from '../helpers/worker-driver.ts';

const CHILD = { namespace: 'shop', workflowType: 'packing', taskQueue: 'default' };

let test: TestEngine;
let parent: Task;
beforeEach(async () => {
  test = await testEngine({ wrap: (parts) => ({ ...parts, ids: evenIds(parts.ids) }) });
  parent = await startAndTake(test);
});
afterEach(() => test.close());

const startPacking = (lease: RunLease, stepId: string, more: Partial<StartRun> = {}) =>
  startChild(test.engine, lease, stepId, { ...CHILD, ...more });
const takeChild = async () => take(test, await register(test, { workflowTypes: ['packing'] }));

/** An engine whose process can still update one item. */
function diesAfterOneUpdate(): Engine {
  const { table } = test.engine;
  let updates = 0;
  const dying = tableWith(table, {
    update: async (key, changes, condition) => {
      updates += 1;
      if (updates > 1) throw new PortError('unavailable', 'down');
      return table.update(key, changes, condition);
    },
  });
  return { ...test.engine, table: dying };
}

describe('starting a child', () => {
  it('links it with the step, and doing it again finds it', async () => {
    const first = await startPacking(parent.lease, 'pack');
    expect(first).toMatchObject({ alreadyExists: false, run: { parent: { runId: parent.run.runId, stepId: 'pack' } } });
    const again = await startPacking(parent.lease, 'pack');
    expect(again).toMatchObject({ alreadyExists: true, run: { runId: first.run.runId } });
    const { step } = await getStep(test.engine, parent.run, 'pack');
    expect(step).toMatchObject({ kind: 'CHILD_WORKFLOW', childRunId: first.run.runId });
    await lapse(test);
    const next = await take(test);
    expect(await startPacking(next.lease, 'pack')).toMatchObject({ alreadyExists: true });
  });

  it('under the step of another child is refused', async () => {
    await startPacking(parent.lease, 'pack', { externalId: 'box-1' });
    const call = startPacking(parent.lease, 'pack', { externalId: 'box-2' });
    await expect(call).rejects.toMatchObject({ code: 'STEP_FINISHED' });
  });
});

describe('the end of a parent', () => {
  it('that is cancelled cancels its children and theirs, whatever they do', async () => {
    const waiting = await startPacking(parent.lease, 'one');
    const held = await startPacking(parent.lease, 'two');
    const task = await takeChild();
    const grandchild = await startPacking(task.lease, 'three');
    await cancelRun(test.engine, parent.run, 'stop');
    for (const { run } of [waiting, held, grandchild]) {
      expect(await headOf(test, run)).toMatchObject({ status: 'CANCELLED', reason: 'the parent run ended' });
    }
    await expect(completeRun(test.engine, task.lease, '1')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await headOf(test, parent.run)).toMatchObject({ dueAt: null });
  });

  it('that has failed cancels its children, that has completed leaves them alone', async () => {
    const { run: first } = await startPacking(parent.lease, 'pack');
    await failRun(test.engine, parent.lease, { error: broken({ nonRetryable: true }) });
    expect(await headOf(test, first)).toMatchObject({ status: 'CANCELLED' });
    const other = await startAndTake(test);
    const { run: second } = await startPacking(other.lease, 'pack');
    await completeRun(test.engine, other.lease, '1');
    expect(await headOf(test, second)).toMatchObject({ status: 'PENDING' });
  });

  it('is paid for by the watchdog if the one who ended it died', async () => {
    const { run } = await startPacking(parent.lease, 'pack');
    await expect(cancelRun(diesAfterOneUpdate(), parent.run, null)).rejects.toBeInstanceOf(PortError);
    expect(await headOf(test, parent.run)).toMatchObject({ status: 'CANCELLED' });
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING' });
    await test.passes(31_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'CANCELLED' });
    expect(await headOf(test, parent.run)).toMatchObject({ dueAt: null });
  });

  it('does not touch a run that was not started by it', async () => {
    const stranger = await startRun(test.engine, { ...CHILD, externalId: 'box-1' });
    await expect(startPacking(parent.lease, 'pack', { externalId: 'box-1' })).rejects.toMatchObject({
      code: 'EXTERNAL_ID_CONFLICT',
      details: { run_id: stranger.run.runId },
    });
    await cancelRun(test.engine, parent.run, null);
    expect(await headOf(test, stranger.run)).toMatchObject({ status: 'PENDING' });
  });
});

describe("a child's first claim looks at its parent", () => {
  /** Started when the parent had just ended, as if by a worker that did not know. */
  const orphan = async () => {
    const { runId, incarnation } = parent.run;
    await cancelRun(test.engine, parent.run, null);
    const link = { runId, incarnation, stepId: 'pack' };
    return (await startRun(test.engine, { ...CHILD, parent: link })).run;
  };

  it('and ends it if the parent was cancelled', async () => {
    const run = await orphan();
    expect(await takeOrNone(test, await register(test, { workflowTypes: ['packing'] }))).toBeNull();
    expect(await headOf(test, run)).toMatchObject({ status: 'CANCELLED', reason: 'the parent run ended' });
  });

  it('also if the first to claim it died before it had looked', async () => {
    const run = await orphan();
    const claimed = claimRun(diesAfterOneUpdate(), run, { owner: 'x', session: null });
    await expect(claimed).rejects.toBeInstanceOf(PortError);
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING' });
    await lapse(test);
    await takeOrNone(test, await register(test, { workflowTypes: ['packing'] }));
    expect(await headOf(test, run)).toMatchObject({ status: 'CANCELLED' });
  });

  it('and goes on if the parent lives', async () => {
    const { run } = await startPacking(parent.lease, 'pack');
    expect((await takeChild()).run.runId).toBe(run.runId);
  });
});

describe('the end of a child', () => {
  it('arrives in the inbox of its parent, once, and wakes it', async () => {
    await startPacking(parent.lease, 'pack');
    const child = await takeChild();
    await sleepRun(test.engine, parent.lease, { stepId: 'wait', until: test.clock.now() + 86_400_000 });
    await completeRun(test.engine, child.lease, '"packed"');
    const arrivals = itemsOf(test, parent.run).filter((item) => item.sk.startsWith('inbox#'));
    expect(arrivals).toMatchObject([{ id: 'pack', child: child.run.runId, st: 'COMPLETED' }]);
    const woken = { inbox: 1, status: 'SLEEPING', availableAt: test.clock.now() };
    expect(await headOf(test, parent.run)).toMatchObject(woken);
    expect((await take(test)).run).toMatchObject({ runId: parent.run.runId, inbox: 1 });
    expect(await headOf(test, child.run)).toMatchObject({ dueAt: null });
  });

  it('that its worker could not tell is told by the watchdog', async () => {
    await startPacking(parent.lease, 'pack');
    const child = await takeChild();
    await expect(completeRun(diesAfterOneUpdate(), child.lease, '1')).rejects.toBeInstanceOf(PortError);
    expect(await headOf(test, child.run)).toMatchObject({ status: 'COMPLETED' });
    expect(await headOf(test, parent.run)).toMatchObject({ inbox: 0 });
    expect(await completeRun(test.engine, child.lease, '1')).toMatchObject({ status: 'COMPLETED' });
    await test.passes(31_000);
    expect(await headOf(test, parent.run)).toMatchObject({ inbox: 1 });
    expect(await headOf(test, child.run)).toMatchObject({ dueAt: null });
    await watchdogTick(test.engine);
    expect(await headOf(test, parent.run)).toMatchObject({ inbox: 1 });
  });

  it('by a cancel or by being deleted is told as well, and a parent that has ended is left alone', async () => {
    const { run: one } = await startPacking(parent.lease, 'one');
    const { run: two } = await startPacking(parent.lease, 'two');
    await cancelRun(test.engine, one, null);
    expect(await headOf(test, parent.run)).toMatchObject({ inbox: 1, status: 'RUNNING' });
    await deleteRun(test.engine, one);
    const child = await takeChild();
    expect(child.run.runId).toBe(two.runId);
    await completeRun(test.engine, parent.lease, '1');
    const ended = await headOf(test, parent.run);
    await completeRun(test.engine, child.lease, '1');
    expect(await headOf(test, parent.run)).toEqual(ended);
  });
});
