import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AnyWorkflow } from '../../sdk/context.ts';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { createWorker } from '../../sdk/worker/create-worker.ts';
import type { BatchAnswer, SqsRecord } from '../../sdk/worker/lambda-worker.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { WorkflowDriver } from '../helpers/workflow-driver.ts';

let test: TestEngine;
let driver: WorkflowDriver;
beforeEach(async () => {
  test = await testEngine();
  driver = new WorkflowDriver(test);
});
afterEach(() => test.close());

const MINUTE = 60_000;

const handlerOf = (...workflows: readonly AnyWorkflow[]) =>
  createWorker({ workflows, log: () => undefined }).lambda({ engine: () => test.engine });

/** What the event source would deliver now, taken off the queue. */
async function messages(): Promise<SqsRecord[]> {
  const deliveries = await test.queue.receive('default', { max: 10, waitMs: 0, visibilityMs: 6 * MINUTE });
  await test.queue.ack('default', deliveries);
  return deliveries.map(({ id, body }) => ({ messageId: id, body }));
}

/** Invokes the handler with so much time to live, while the clock moves. */
async function invoke(
  handler: ReturnType<typeof handlerOf>,
  records: readonly SqsRecord[],
  remaining = 5 * MINUTE,
): Promise<BatchAnswer> {
  const end = test.clock.now() + remaining;
  let isOver = false;
  const running = handler({ Records: records }, { getRemainingTimeInMillis: () => end - test.clock.now() }).finally(
    () => {
      isOver = true;
    },
  );
  // Whoever waits for it hears of it.
  running.catch(() => undefined);
  for (let second = 0; !isOver && second < remaining / 1000; second++) await test.clock.advance(1000);
  expect(isOver, 'the handler must answer before its deadline').toBe(true);
  return running;
}

it('serves the runs of a batch, and reports the message it cannot read alone', async () => {
  const flow = defineWorkflow({ type: 'flow' }, async (ctx, n: number) => ctx.step('double', () => n * 2));
  const runs = [await driver.start(flow, 1), await driver.start(flow, 2)];
  const records = [...(await messages()), { messageId: 'bad', body: 'no JSON' }];
  expect(await invoke(handlerOf(flow), records)).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
  for (const [index, run] of runs.entries()) expect((await driver.get(run)).output).toBe(String((index + 1) * 2));
});

it('hands a run over before its deadline, and the next invocation goes on where it was', async () => {
  const bodies: string[] = [];
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    for (let n = 0; n < 6; n++) {
      await ctx.step(`part ${n}`, async () => {
        bodies.push(`part ${n}`);
        await test.clock.sleep(15_000);
      });
    }
    return 'done';
  });
  const run = await driver.start(flow, undefined);
  const handler = handlerOf(flow);
  expect(await invoke(handler, await messages(), MINUTE)).toEqual({ batchItemFailures: [] });
  expect((await driver.get(run)).run).toMatchObject({ status: 'PENDING', stalls: 0 });
  const before = bodies.length;
  expect(before).toBeGreaterThan(1);
  expect(before).toBeLessThan(6);
  await invoke(handler, await messages(), 5 * MINUTE);
  expect((await driver.get(run)).output).toBe('"done"');
  expect(bodies).toEqual([0, 1, 2, 3, 4, 5].map((n) => `part ${n}`));
});

it('gives up a body that does not end in time, and leaves the run to the next invocation', async () => {
  let stuck = true;
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) =>
    ctx.step('a', () => (stuck ? new Promise(() => undefined) : 1)),
  );
  const run = await driver.start(flow, undefined);
  const handler = handlerOf(flow);
  await invoke(handler, await messages(), MINUTE);
  expect((await driver.get(run)).run.status).toBe('PENDING');
  stuck = false;
  await invoke(handler, await messages());
  expect((await driver.get(run)).output).toBe('1');
});

it('renews its lease while a body runs for long', async () => {
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => ctx.step('long', () => test.clock.sleep(3 * MINUTE)));
  const run = await driver.start(flow, undefined);
  const invocation = invoke(handlerOf(flow), await messages(), 10 * MINUTE);
  await invocation;
  expect((await driver.get(run)).run).toMatchObject({ status: 'COMPLETED', epoch: 1 });
});

it('puts back a run whose version it lacks, for a worker that has it', async () => {
  const one = defineWorkflow({ type: 'flow', version: '1' }, async () => 'one');
  const two = defineWorkflow({ type: 'flow', version: '2' }, async () => 'two');
  const run = await driver.start(one, undefined);
  expect(await invoke(handlerOf(two), await messages())).toEqual({ batchItemFailures: [] });
  await test.clock.advance(11_000);
  await invoke(handlerOf(one, two), await messages());
  expect((await driver.get(run)).output).toBe('"one"');
});

it('reports a message whose run it could not reach, so that SQS delivers it again', async () => {
  const flow = defineWorkflow({ type: 'flow' }, async () => 1);
  await driver.start(flow, undefined);
  const records = await messages();
  const handler = createWorker({ workflows: [flow], log: () => undefined }).lambda({
    engine: () => ({
      ...test.engine,
      table: new Proxy(test.engine.table, { get: () => () => Promise.reject(new Error('down')) }),
    }),
  });
  expect(await invoke(handler, records)).toEqual({ batchItemFailures: [{ itemIdentifier: records[0]?.messageId }] });
});

it('tries anew at the next invocation if the engine could not be made at the first', async () => {
  const flow = defineWorkflow({ type: 'flow' }, async () => 1);
  const run = await driver.start(flow, undefined);
  const records = await messages();
  let tries = 0;
  const handler = createWorker({ workflows: [flow], log: () => undefined }).lambda({
    async engine() {
      tries += 1;
      if (tries === 1) throw new Error('the secret cannot be read');
      return test.engine;
    },
  });
  await expect(invoke(handler, records)).rejects.toThrow('the secret');
  expect(await invoke(handler, records)).toEqual({ batchItemFailures: [] });
  expect(tries).toBe(2);
  expect((await driver.get(run)).run.status).toBe('COMPLETED');
});

it('fails a run whose step takes longer than the function may live, and names the step', async () => {
  let bodies = 0;
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    await ctx.step('quick', () => 1);
    await ctx.step('long', async () => {
      bodies += 1;
      await test.clock.sleep(2 * MINUTE);
    });
  });
  const run = await driver.start(flow, undefined);
  const handler = handlerOf(flow);
  for (let n = 0; n < 12; n++) {
    await invoke(handler, await messages(), MINUTE);
    await test.passes(20_000);
  }
  const { run: ended, error } = await driver.get(run);
  expect(ended.status).toBe('FAILED');
  expect(error).toMatchObject({ code: 'STALLED', message: expect.stringContaining('(under way: "long")') });
  expect(bodies).toBe(6);
});

it('goes on for as long as every function records a step before it is cut short', async () => {
  let bodies = 0;
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
    for (let n = 0; n < 9; n++) {
      await ctx.step(`part ${n}`, async () => {
        bodies += 1;
        // One that only a function which has just begun has the time for.
        await test.clock.sleep(40_000);
      });
    }
    return 'done';
  });
  const run = await driver.start(flow, undefined);
  const handler = handlerOf(flow);
  for (let n = 0; n < 20; n++) {
    await invoke(handler, await messages(), MINUTE);
    await test.passes(5000);
  }
  expect((await driver.get(run)).output).toBe('"done"');
  expect(bodies).toBeGreaterThan(9);
});
