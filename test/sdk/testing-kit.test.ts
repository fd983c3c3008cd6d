import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { createTestEngine, replay, type TestEngine } from '../../sdk/testing/index.ts';

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
  await expect(engine.run(fails)).rejects.toMatchObject({ name: 'RunFailedError', message: 'broken' });
});

it('stops where it is told to', async () => {
  engine.stub('charge', () => 'stubbed');
  const handle = await engine.start(order, { amount: 1 });
  await engine.advance('1 year');
  expect(await handle.status()).toBe('SLEEPING');
  await handle.cancel();
  expect(await handle.status()).toBe('CANCELLED');
});

it('says which workflow is missing, of a run or of a child, instead of waiting for ever', async () => {
  const missing = defineWorkflow({ type: 'missing' }, async () => 1);
  const parent = defineWorkflow({ type: 'parent' }, async (ctx) => ctx.call('kid', missing, undefined));
  const other = createTestEngine({ workflows: [parent] });
  await expect(other.run(missing)).rejects.toThrow('No workflow "missing" with version "1" is here; there are parent.');
  await (await other.start(missing)).cancel();
  await other.close();
  const third = createTestEngine({ workflows: [parent] });
  await expect(third.run(parent)).rejects.toThrow('No workflow "missing"');
  await expect(engine.run(fails, undefined, { taskQueue: 'elsewhere' })).rejects.toThrow('waits on queue "elsewhere"');
  await third.close();
});

it('tells of a stub that no step asked for', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  engine.stub('chrage', () => 'typo').stub('charge', () => 'stubbed');
  await engine.run(order, { amount: 1 });
  await engine.close();
  expect(warn.mock.calls).toEqual([['The stub of step "chrage" was never used. Did you mean `charge`?']]);
  warn.mockRestore();
  engine = createTestEngine({ workflows: [order, fails] });
});

it('gives the history of a run, to replay against code that has changed since', async () => {
  engine.stub('charge', () => 'stubbed');
  const run = await engine.start(order, { amount: 42 });
  await engine.finish(run);
  const history = await run.export();
  expect(await replay(history, order)).toEqual({ ended: 'completed', steps: 2 });
  const changed = defineWorkflow({ type: 'order' }, async (ctx) => ctx.step('pay', () => 1));
  await expect(replay(history, changed)).rejects.toThrow('FUNCTION "charge" at position 0');
});

it('counts the time of a child from its start, also if its parent was put down meanwhile', async () => {
  const child = defineWorkflow({ type: 'child' }, async (ctx) => ctx.sleep('nap', '1 hour'));
  const parent = defineWorkflow({ type: 'parent' }, async (ctx) => ctx.call('kid', child, undefined));
  const family = createTestEngine({ workflows: [parent, child] });
  const run = await family.start(parent);
  await family.finish(run);
  const [kid] = await run.steps();
  expect(kid).toMatchObject({ stepId: 'kid', status: 'COMPLETED' });
  expect((kid?.finishedAt?.getTime() ?? 0) - (kid?.startedAt.getTime() ?? 0)).toBeGreaterThanOrEqual(3_600_000);
  await family.close();
});

it('keeps what is thrown that is no error', async () => {
  const odd = defineWorkflow({ type: 'odd' }, async (ctx) =>
    ctx.step('a', () => Promise.reject({ message: 'm', code: 'ODD', limit: 3 }), { retry: 'none' }),
  );
  const other = createTestEngine({ workflows: [odd] });
  await expect(other.run(odd)).rejects.toMatchObject({ message: 'm', code: 'ODD', cause: { limit: 3 } });
  await other.close();
});
