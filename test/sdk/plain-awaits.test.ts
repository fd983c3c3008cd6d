import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import type { RunId } from '../../shared/model/run.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

const NAP = '1 hour';
const LONG_MS = 20 * 60_000;

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

/** What the engine knows nothing of: it takes its time whatever the test's clock says. */
const really = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
};

/** Lets real time pass along with the engine's. */
async function both(rounds: number, ms: number): Promise<void> {
  for (let n = 0; n < rounds; n++) {
    await really(5);
    await test.passes(ms);
  }
}

async function endedReally(run: RunId) {
  return driver.ended(run, 600, () => really(3));
}

it('code may wait for something that is no step between its steps', async () => {
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    const a = await ctx.step('a', () => 1);
    await really(15);
    const b = await ctx.step('b', () => 2);
    const { sep } = await import('node:path');
    await ctx.sleep('nap', NAP);
    await really(15);
    return a + b + (await ctx.step('c', () => sep.length));
  });
  driver.serve(flow);
  const { output, error } = await endedReally(await driver.start(flow, undefined));
  expect(error).toBeNull();
  expect(output).toBe('4');
});

it('a schema may take its time', async () => {
  const input = z.object({ n: z.number() }).refine(async () => {
    await really(15);
    return true;
  });
  const flow = defineWorkflow({ type: 'flow', input }, async (ctx, { n }) => {
    const a = await ctx.step('a', () => n);
    await ctx.sleep('nap', NAP);
    return a;
  });
  driver.serve(flow);
  expect((await endedReally(await driver.start(flow, { n: 7 }))).output).toBe('7');
});

it.each([
  ['a timer', () => really(5)],
  ['a turn of the event loop', () => turns(1)],
  ['some turns of the event loop', () => turns(4)],
])('a sleep is not cut short while another branch waits for %s', async (_what, wait) => {
  let woke = 0;
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    await ctx.parallel([
      async (c) => {
        await c.sleep('long', '20 minutes');
        woke ||= test.clock.now();
        await c.step('after it', () => 1);
      },
      (c) => c.sleep('longer', '30 minutes'),
      async (c) => {
        await c.step('a', () => 1);
        await wait();
        await c.step('b', () => 2);
        await c.sleep('nap', '1 minute');
      },
      (c) => c.step('work', () => really(40)),
    ]);
    return 'done';
  });
  driver.serve(flow);
  const begun = test.clock.now();
  const run = await driver.start(flow, undefined);
  await both(15, 100);
  await test.clock.advance(60_000);
  await both(15, 1000);
  expect((await driver.get(run)).error).toBeNull();
  expect(woke).toBe(0);
  expect((await endedReally(run)).output).toBe('"done"');
  expect(woke - begun).toBeGreaterThanOrEqual(LONG_MS);
});

it('what comes early on a replay takes the place it had', async () => {
  let slow = true;
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    const seen = await ctx.parallel([
      async (c) => [await c.step('a', () => 1), await c.step('b', () => 2)],
      async (c) => {
        // As with a cache: only the first time takes long.
        if (slow) await really(60);
        slow = false;
        return c.step('c', () => 3);
      },
    ]);
    await ctx.sleep('nap', NAP);
    return seen;
  });
  driver.serve(flow);
  const run = await driver.start(flow, undefined);
  await both(20, 100);
  const { output, error } = await endedReally(run);
  expect(error).toBeNull();
  expect(output).toBe('[[1,2],3]');
});

it('a run is not put down before code beside a sleep has asked for its next step', async () => {
  const done: number[] = [];
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    await ctx.parallel([
      (c) => c.sleep('nap', NAP),
      async (c) => {
        await crypto.subtle.digest('SHA-256', new Uint8Array(10));
        await c.step('at once', () => done.push(test.clock.now()));
      },
    ]);
  });
  driver.serve(flow);
  const begun = test.clock.now();
  const run = await driver.start(flow, undefined);
  await both(10, 5);
  expect(done).toHaveLength(1);
  expect((done[0] ?? 0) - begun).toBeLessThan(1000);
  await endedReally(run);
});
