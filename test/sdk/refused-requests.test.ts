import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ChildOptions, WorkflowContext } from '../../sdk/context.ts';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
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

const kid = defineWorkflow({ type: 'kid' }, async () => 1);

const failing = async (code: (ctx: WorkflowContext) => Promise<unknown>) => {
  const flow = defineWorkflow({ type: 'flow', retry: 'none' }, code);
  driver.serve(flow, kid);
  const { run, error } = await driver.ended(await driver.start(flow, undefined));
  expect(run).toMatchObject({ status: 'FAILED', stalls: 0 });
  return error;
};

it.each<[string, ChildOptions]>([
  ['an empty version', { version: '' }],
  ['an empty external id', { externalId: '' }],
  ['a lone surrogate in its external id', { externalId: '\ud800' }],
  ['a task queue that cannot be', { taskQueue: 'a b/c' }],
])('fails a run that starts a child with %s, and says why', async (_what, options) => {
  const error = await failing((ctx) => ctx.call('k', kid, undefined, options));
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('ctx.call "k": ') });
});

it('fails a run that would sleep for longer than a hundred years', async () => {
  const error = await failing((ctx) => ctx.sleepUntil('far', '2300-01-01'));
  expect(error?.message).toContain('within 100 years');
});
