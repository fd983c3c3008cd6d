import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { NonRetryableError } from '../../sdk/errors.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

let test: TestEngine;
let driver: WorkflowDriver;
beforeEach(async () => {
  test = await testEngine();
  driver = new WorkflowDriver(test);
});
afterEach(async () => {
  await driver.stop();
  await test.close();
});

describe('a workflow', () => {
  it('runs its steps once each and returns', async () => {
    const bodies: string[] = [];
    const order = defineWorkflow({ type: 'order' }, async (ctx, input: { amount: number }) => {
      const charged = await ctx.step('charge', () => {
        bodies.push('charge');
        return { amount: input.amount, at: new Date(0) };
      });
      await ctx.sleep('settle', '3 days');
      const shipped = await ctx.step('ship', async ({ attempt }) => {
        bodies.push('ship');
        return { parcel: 'P-1', attempt };
      });
      return { ...charged, ...shipped, days: ctx.now().getTime() };
    });
    driver.serve(order);
    const run = await driver.start(order, { amount: 42 });
    const details = await driver.ended(run);
    expect(details.run.status).toBe('COMPLETED');
    expect(bodies).toEqual(['charge', 'ship']);
  });

  it('tries a failing step again, and fails with its error when the attempts are used up', async () => {
    let attempts = 0;
    const flaky = defineWorkflow({ type: 'flaky' }, async (ctx) =>
      ctx.step('a', () => {
        attempts += 1;
        if (attempts < 3) throw new Error('not yet');
        return attempts;
      }),
    );
    const broken = defineWorkflow({ type: 'broken' }, async (ctx) =>
      ctx.step('a', () => {
        throw new NonRetryableError('declined', { code: 'DECLINED' });
      }),
    );
    driver.serve(flaky, broken);
    expect(await driver.result(flaky, undefined)).toBe(3);
    const details = await driver.ended(await driver.start(broken, undefined));
    expect(details).toMatchObject({
      run: { status: 'FAILED', attempts: 1 },
      error: { code: 'DECLINED', message: 'declined' },
    });
  });

  it('joins and races steps, sleeps and branches', async () => {
    const many = defineWorkflow({ type: 'many' }, async (ctx) => {
      const all = await Promise.all(['a', 'b', 'c'].map((id) => ctx.step(id, () => id)));
      const named = await ctx.parallel({ x: (c) => c.step('s', () => 1), y: (c) => c.step('s', () => 2) });
      const mapped = await ctx.map([1, 2, 3, 4, 5], (n, c) => c.step('double', () => n * 2), { concurrency: 2 });
      const won = await ctx.race({
        slow: (c) => c.sleep('long', '1 hour').then(() => 'slow'),
        fast: (c) => c.step('quick', () => 'fast'),
      });
      return { all, named, mapped, won };
    });
    driver.serve(many);
    expect(await driver.result(many, undefined)).toEqual({
      all: ['a', 'b', 'c'],
      named: { x: 1, y: 2 },
      mapped: [2, 4, 6, 8, 10],
      won: { winner: 'fast', value: 'fast' },
    });
  });

  it('calls a child and suspends until it ends', async () => {
    const child = defineWorkflow({ type: 'child' }, async (ctx, n: number) => {
      await ctx.sleep('nap', '1 hour');
      return ctx.step('square', () => n * n);
    });
    const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
      const nine = await ctx.call('three', child, 3);
      const handle = await ctx.start('four', child, 4);
      return [nine, await handle.result()];
    });
    driver.serve(child, parent);
    const run = await driver.start(parent, undefined);
    expect((await driver.ended(run, 5_000)).output).toBe('[9,16]');
  });
});
