import { afterEach, beforeEach, expect, it } from 'vitest';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import { pollTask } from '../../shared/usecases/poll-task.ts';
import { registerWorker } from '../../shared/usecases/register-worker.ts';
import { startRun } from '../../shared/usecases/start-run.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.close());

it('takes a run from its start to COMPLETED', async () => {
  const { engine } = test;
  const { run } = await startRun(engine, {
    namespace: 'shop',
    workflowType: 'order',
    taskQueue: 'default',
    input: '{"sku":"tea"}',
  });
  const worker = await registerWorker(engine, {
    namespace: 'shop',
    name: null,
    hostname: 'here',
    pid: 1,
    version: null,
    taskQueue: 'default',
    workflowTypes: ['order'],
    labels: {},
    maxConcurrent: 10,
    queueConcurrencyLimit: null,
    workflowTypeConcurrency: {},
  });
  const task = await pollTask(engine, {
    namespace: 'shop',
    taskQueue: 'default',
    workerId: worker.workerId,
    timeoutMs: 0,
  });
  expect(task).toMatchObject({ run: { runId: run.runId, status: 'RUNNING' }, input: '{"sku":"tea"}', history: [] });
  if (task === null) return;
  const begun = await beginStep(engine, task.lease, { stepId: 'charge', kind: 'FUNCTION', input: '1' });
  expect(begun).toMatchObject({ shouldExecute: true, inputChanged: false, retryAt: null });
  await completeStep(engine, task.lease, 'charge', '"paid"');
  const again = await beginStep(engine, task.lease, { stepId: 'charge', kind: 'FUNCTION', input: '2' });
  expect(again).toMatchObject({ shouldExecute: false, cachedOutput: '"paid"', inputChanged: true });
  await completeRun(engine, task.lease, '{"ok":true}');
  expect(await getRun(engine, run)).toMatchObject({ run: { status: 'COMPLETED' }, output: '{"ok":true}' });
  const { steps } = await listSteps(engine, { ...run, pageSize: 10 });
  expect(steps).toMatchObject([{ step: { stepId: 'charge', status: 'COMPLETED' }, output: '"paid"', late: false }]);
});
