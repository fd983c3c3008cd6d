import { afterEach, beforeEach, expect, it } from 'vitest';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { createTestEngine, type TestEngine } from '../../sdk/testing/index.ts';

const order = defineWorkflow({ type: 'order' }, async (ctx, input: { amount: number }) => {
  const charge = await ctx.step(
    'charge',
    async (): Promise<string> => {
      throw new Error('no network in tests');
    },
    { retry: 'none' },
  );
  const before = ctx.now().getTime();
  await ctx.sleep('settle', '3 years');
  return { charge, amount: input.amount, slept: ctx.now().getTime() - before };
});
const fails = defineWorkflow({ type: 'fails' }, async (ctx) =>
  ctx.step('a', () => Promise.reject(new Error('broken')), { retry: 3 }),
);

let engine: TestEngine;
beforeEach(() => {
  engine = createTestEngine({ workflows: [order, fails] });
});
afterEach(() => engine.close());

it('runs a workflow with stubbed steps, and skips years', async () => {
  engine.stub('charge', () => 'stubbed');
  const result = await engine.run(order, { amount: 42 });
  expect(result).toMatchObject({ charge: 'stubbed', amount: 42 });
  expect(result.slept).toBeGreaterThanOrEqual(3 * 365 * 86_400_000);
});

it('throws what a run fails with', async () => {
  await expect(engine.run(fails, undefined)).rejects.toMatchObject({ name: 'RunFailedError', message: 'broken' });
});

it('stops where it is told to', async () => {
  engine.stub('charge', () => 'stubbed');
  const handle = await engine.start(order, { amount: 1 });
  await engine.advance('1 year');
  expect(await handle.status()).toBe('SLEEPING');
  await handle.cancel();
  expect(await handle.status()).toBe('CANCELLED');
});
