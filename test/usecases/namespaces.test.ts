import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Worker } from '../../shared/model/worker.ts';
import { cancelRun } from '../../shared/usecases/cancel-run.ts';
import { completeRun } from '../../shared/usecases/complete-run.ts';
import { deleteRun } from '../../shared/usecases/delete-run.ts';
import { deregisterWorker } from '../../shared/usecases/deregister-worker.ts';
import { exportRun } from '../../shared/usecases/export-run.ts';
import { failRun } from '../../shared/usecases/fail-run.ts';
import { failStep } from '../../shared/usecases/fail-step.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { getWorker } from '../../shared/usecases/get-worker.ts';
import { listRuns } from '../../shared/usecases/list-runs.ts';
import { getStep, listSteps } from '../../shared/usecases/list-steps.ts';
import { listTaskQueues } from '../../shared/usecases/list-task-queues.ts';
import { listWorkers } from '../../shared/usecases/list-workers.ts';
import type { Task } from '../../shared/usecases/poll-task.ts';
import { sleepRun } from '../../shared/usecases/sleep-run.ts';
import { dumpStore } from '../helpers/dump-store.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { beat, begin, broken, doStep, poll, register, startAndTake } from '../helpers/worker-driver.ts';

let test: TestEngine;
let worker: Worker;
let task: Task;
beforeEach(async () => {
  test = await testEngine();
  worker = await register(test);
  task = await startAndTake(test, { externalId: 'o-1' }, worker);
  await doStep(test, task.lease, 'a');
  await begin(test, task.lease, 'b');
});
afterEach(() => test.close());

it("the ids of another namespace's runs look unknown to every call, and nothing changes", async () => {
  const { engine } = test;
  const id = { namespace: 'bank', runId: task.run.runId };
  const lease = { ...task.lease, namespace: 'bank' };
  const before = await dumpStore(test);
  for (const call of [
    () => getRun(engine, id),
    () => cancelRun(engine, id, null),
    () => deleteRun(engine, id),
    () => exportRun(engine, id, undefined),
    () => listSteps(engine, { ...id, pageSize: 10 }),
    () => getStep(engine, id, 'a'),
    () => begin(test, lease, 'a'),
    () => failStep(engine, lease, { stepId: 'b', error: broken() }),
    () => completeRun(engine, lease, '1'),
    () => failRun(engine, lease, { error: broken() }),
    () => sleepRun(engine, lease, { stepId: 'nap', until: test.clock.now() + 1_000 }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  }
  expect(await dumpStore(test)).toEqual(before);
});

it("the ids of another namespace's workers look unknown, and nothing changes", async () => {
  const { engine } = test;
  const before = await dumpStore(test);
  const stranger = { ...worker, namespace: 'bank' };
  for (const call of [
    () => getWorker(engine, 'bank', worker.workerId),
    () => deregisterWorker(engine, { namespace: 'bank', workerId: worker.workerId, drain: false, leases: [] }),
    () => poll(test, stranger),
    () => beat(test, stranger, []),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'WORKER_NOT_FOUND' });
  }
  expect(await dumpStore(test)).toEqual(before);
});

it("another namespace's things are in no list", async () => {
  const { engine } = test;
  for (const namespace of ['bank', 'sho', 'shop2', 'shop#run']) {
    const page = { namespace, pageSize: 10 };
    expect((await listRuns(engine, { ...page, includeTotalCount: true })).total).toEqual({ count: 0, capped: false });
    expect((await listRuns(engine, { ...page, externalId: 'o-1' })).runs).toEqual([]);
    expect((await listWorkers(engine, page)).workers).toEqual([]);
    expect((await listTaskQueues(engine, page)).taskQueues).toEqual([]);
  }
});

it("a worker cannot keep another namespace's run alive", async () => {
  const other = await register(test, { namespace: 'bank' });
  const answer = await beat(test, other, [{ ...task.lease, namespace: 'bank' }]);
  expect(answer.lost).toEqual([{ runId: task.run.runId, status: null }]);
  expect((await getWorker(test.engine, 'bank', other.workerId)).runs).toEqual([]);
});
