import { afterEach, beforeEach, expect, it } from 'vitest';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { createWorker } from '../../sdk/worker/create-worker.ts';
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

const forever = (): Promise<never> => new Promise(() => undefined);

it('stops within its grace also when it has no room for another run, and gives back what it held', async () => {
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) => ctx.step('long', forever));
  const worker = createWorker({ workflows: [flow], namespace: 'shop', maxConcurrent: 1, log: () => undefined });
  const running = worker.embedded(test.engine);
  const run = await driver.start(flow, undefined);
  await test.passes(2000);
  let stopped = false;
  void running.stop(1000).then(() => {
    stopped = true;
  });
  await test.passes(2000);
  expect(stopped).toBe(true);
  expect((await driver.get(run)).run.status).toBe('PENDING');
});

it('goes on with the attempt that a worker before it had begun', async () => {
  const attempts: number[] = [];
  let hangs = true;
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) =>
    ctx.step(
      'a',
      async ({ attempt }) => {
        attempts.push(attempt);
        if (attempts.length === 1) throw new Error('first');
        if (hangs) await forever();
      },
      { retry: 3 },
    ),
  );
  driver.serve(flow);
  const run = await driver.start(flow, undefined);
  // Longer than it takes for the start to be shown.
  await test.passes(6000);
  await driver.stop();
  hangs = false;
  driver.serve(flow);
  await driver.ended(run);
  expect(attempts).toEqual([1, 2, 2]);
});
