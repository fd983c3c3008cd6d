import { type Failure, failure } from '../../shared/model/failure.ts';
import type { Run, RunId, RunningRun } from '../../shared/model/run.ts';
import type { Worker } from '../../shared/model/worker.ts';
import { readRun } from '../../shared/store/run-head.ts';
import { beginStep } from '../../shared/usecases/begin-step.ts';
import { claimRun } from '../../shared/usecases/claim-run.ts';
import { completeStep } from '../../shared/usecases/complete-step.ts';
import { type HeartbeatAnswer, heartbeat } from '../../shared/usecases/heartbeat.ts';
import type { RunLease } from '../../shared/usecases/lease.ts';
import { type PollTask, pollTask, type Task } from '../../shared/usecases/poll-task.ts';
import { type RegisterWorker, registerWorker } from '../../shared/usecases/register-worker.ts';
import { type StartRun, startRun } from '../../shared/usecases/start-run.ts';
import type { TestEngine } from './test-engine.ts';

export const NAMESPACE = 'shop';
export const QUEUE = 'default';
const WORKFLOW = 'order';
const POLLS = 20;

export async function start(test: TestEngine, request: Partial<StartRun> = {}): Promise<Run> {
  const plain = { namespace: NAMESPACE, workflowType: WORKFLOW, taskQueue: QUEUE };
  return (await startRun(test.engine, { ...plain, ...request })).run;
}

export const register = (test: TestEngine, request: Partial<RegisterWorker> = {}): Promise<Worker> =>
  registerWorker(test.engine, {
    namespace: NAMESPACE,
    name: null,
    hostname: null,
    pid: null,
    version: null,
    taskQueue: QUEUE,
    workflowTypes: [WORKFLOW],
    labels: {},
    maxConcurrent: 1_000,
    queueConcurrencyLimit: null,
    workflowTypeConcurrency: {},
    ...request,
  });

export const poll = (test: TestEngine, worker: Worker, request: Partial<PollTask> = {}): Promise<Task | null> =>
  pollTask(test.engine, {
    namespace: worker.namespace,
    taskQueue: worker.taskQueue,
    workerId: worker.workerId,
    timeoutMs: 0,
    ...request,
  });

/** Polls past messages that are of no more use. */
export async function takeOrNone(test: TestEngine, by?: Worker): Promise<Task | null> {
  const worker = by ?? (await register(test));
  for (let polls = 0; polls < POLLS; polls++) {
    const task = await poll(test, worker);
    if (task !== null) return task;
  }
  return null;
}

export async function take(test: TestEngine, by?: Worker): Promise<Task> {
  const task = await takeOrNone(test, by);
  if (task === null) throw new Error('there was no run to take');
  return task;
}

export async function startAndTake(test: TestEngine, request: Partial<StartRun> = {}, by?: Worker): Promise<Task> {
  const run = await start(test, request);
  const task = await take(test, by);
  if (task.run.runId !== run.runId) throw new Error('another run was taken');
  return task;
}

/** As a direct worker claims it, without the queue. */
export async function claim(test: TestEngine, run: Run): Promise<RunningRun> {
  const result = await claimRun(test.engine, run, { owner: 'direct', session: null });
  if (result.outcome !== 'claimed') throw new Error(`the claim was ${result.outcome}`);
  return result.run;
}

export const beat = (test: TestEngine, worker: Worker, leases: readonly RunLease[]): Promise<HeartbeatAnswer> =>
  heartbeat(test.engine, { namespace: worker.namespace, workerId: worker.workerId, leases });

export const begin = (test: TestEngine, lease: RunLease, stepId: string) =>
  beginStep(test.engine, lease, { stepId, kind: 'FUNCTION' });

export async function doStep(test: TestEngine, lease: RunLease, stepId: string, output = '"done"'): Promise<void> {
  await begin(test, lease, stepId);
  await completeStep(test.engine, lease, stepId, output);
}

/** The head as it stands; throws if there is none. */
export async function headOf(test: TestEngine, run: RunId): Promise<Run> {
  const found = await readRun(test.engine, run);
  if (found === null) throw new Error(`there is no run ${run.runId}`);
  return found;
}

export const broken = (given: Partial<Failure> = {}): Failure => failure({ message: 'it broke', ...given });

/** Lets the lease of a direct worker, or a claim without a heartbeat, lapse; the watchdog looks at it once. */
export const lapse = (test: TestEngine): Promise<void> => test.passes(test.engine.config.leaseMs + 1_000);
