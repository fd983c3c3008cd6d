import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { ChildFailedError } from '../../sdk/errors.ts';
import type { RunId } from '../../shared/model/run.ts';
import { deleteRun } from '../../shared/usecases/delete-run.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import { itemsOf } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

let test: TestEngine;
let driver: WorkflowDriver;
let bodies = 0;
beforeEach(async () => {
  test = await testEngine();
  driver = new WorkflowDriver(test);
  bodies = 0;
});
afterEach(async () => {
  await driver.stop();
  await test.close();
});

const kid = defineWorkflow({ type: 'kid' }, async (ctx) => {
  await ctx.sleep('nap', '1 minute');
  return ctx.step('charge', () => ++bodies);
});

/** Calls the child, and tells how that ended. */
const parentOf = (externalId?: string) =>
  defineWorkflow({ type: 'parent' }, async (ctx) => {
    try {
      return await ctx.call('k', kid, undefined, externalId === undefined ? {} : { externalId });
    } catch (error) {
      if (!(error instanceof ChildFailedError)) throw error;
      return [error.code, error.childStatus];
    }
  });

describe('a child under the external id of a run that its step has not started', () => {
  const flow = parentOf('same');
  const refused = {
    run: { status: 'FAILED' },
    error: { code: 'EXTERNAL_ID_CONFLICT', message: expect.stringContaining('has not started') },
  };

  it('is refused if a client started that run, which goes on', async () => {
    driver.serve(flow, kid);
    const theirs = await driver.start(kid, undefined, 'same');
    expect(await driver.ended(await driver.start(flow, undefined))).toMatchObject(refused);
    expect((await driver.ended(theirs)).output).toBe('1');
  });

  it('is refused if another parent started it', async () => {
    driver.serve(flow, kid);
    const first = await driver.start(flow, undefined);
    await test.passes(2000);
    expect(await driver.ended(await driver.start(flow, undefined))).toMatchObject(refused);
    expect((await driver.ended(first)).output).toBe('1');
  });
});

describe('a child that ended while nobody served its parent', () => {
  /** The child has ended, its parent has not read of it yet. */
  async function childEnds(flow: ReturnType<typeof parentOf>): Promise<{ parent: RunId; child: RunId }> {
    driver.serve(flow, kid);
    const parent = await driver.start(flow, undefined);
    await test.passes(5000);
    const [first] = (await listSteps(test.engine, { ...parent, pageSize: 10 })).steps;
    const child = { namespace: parent.namespace, runId: first?.step.childRunId ?? '' };
    await driver.stop();
    driver.serve(kid);
    await test.passes(90_000);
    expect((await driver.get(child)).run.status).toBe('COMPLETED');
    await driver.stop();
    return { parent, child };
  }

  it('and was deleted is not executed again: its parent learns that it is gone', async () => {
    const flow = parentOf();
    const { parent, child } = await childEnds(flow);
    await deleteRun(test.engine, child);
    driver.serve(flow, kid);
    expect((await driver.ended(parent)).output).toBe('["CHILD_GONE","GONE"]');
    expect(bodies).toBe(1);
  });

  it('and was deleted is not taken for another run under its external id', async () => {
    const flow = parentOf('same');
    const { parent, child } = await childEnds(flow);
    await deleteRun(test.engine, child);
    await driver.start(kid, undefined, 'same');
    driver.serve(flow);
    expect((await driver.ended(parent)).output).toBe('["CHILD_GONE","GONE"]');
  });

  it('is known on every replay, also if its start lies among packed steps', async () => {
    const flow = defineWorkflow({ type: 'parent' }, async (ctx) => {
      for (let n = 0; n < 210; n++) await ctx.step(`step ${n}`, () => n);
      const failed = await ctx.call('broken', broken, undefined).catch((error: Error) => error.message);
      const charged = await ctx.call('k', kid, undefined);
      await ctx.sleep('nap', '1 hour');
      return [failed, charged];
    });
    const broken = defineWorkflow({ type: 'broken', retry: 'none' }, async (ctx) => {
      await ctx.sleep('nap', '1 minute');
      throw new Error('no');
    });
    driver.serve(flow, kid, broken);
    expect(await driver.result(flow, undefined)).toEqual([expect.stringContaining('failed: no'), 1]);
  });

  it('is found by its status if the word of its end was lost', async () => {
    const flow = parentOf();
    const { parent } = await childEnds(flow);
    const arrivals = itemsOf(test, parent).filter(({ sk }) => sk.startsWith('inbox#'));
    expect(arrivals).toHaveLength(1);
    for (const { pk, sk } of arrivals) await test.engine.table.delete({ pk, sk });
    driver.serve(flow, kid);
    expect((await driver.ended(parent)).output).toBe('1');
  });
});
