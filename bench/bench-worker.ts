import type { RunningRun } from '../shared/model/run.ts';
import type { Worker } from '../shared/model/worker.ts';
import type { Delivery } from '../shared/ports/queue.ts';
import { decodeRunMessage } from '../shared/store/dispatch.ts';
import type { Engine } from '../shared/store/engine.ts';
import { type ClaimResult, claimRun } from '../shared/usecases/claim-run.ts';
import { endRun } from '../shared/usecases/end-run.ts';
import { pollTask, type Task } from '../shared/usecases/poll-task.ts';
import { recordStep } from '../shared/usecases/record-step.ts';
import { registerWorker } from '../shared/usecases/register-worker.ts';
import { type StartedRun, startRun } from '../shared/usecases/start-run.ts';

export const QUEUE = 'default';
/** Longer than a lease: what a dead worker has received comes back when another has taken over. */
export const VISIBILITY_MS = 60_000;
const NAMESPACE = 'shop';
const WORKFLOW_TYPE = 'order';

/** 100 bytes of JSON. */
export const PAYLOAD = JSON.stringify('x'.repeat(98));

export const start = (engine: Engine): Promise<StartedRun> =>
  startRun(engine, { namespace: NAMESPACE, workflowType: WORKFLOW_TYPE, taskQueue: QUEUE, input: PAYLOAD });

export async function receive(engine: Engine, queue = QUEUE): Promise<Delivery> {
  const [delivery] = await engine.queue.receive(queue, { max: 1, waitMs: 0, visibilityMs: VISIBILITY_MS });
  if (delivery === undefined) throw new Error(`nothing to receive from ${queue}`);
  return delivery;
}

export function tryClaim(engine: Engine, delivery: Delivery): Promise<ClaimResult> {
  const message = decodeRunMessage(delivery.body);
  if (message === null) throw new Error('not a run message');
  return claimRun(engine, message, { owner: 'w', session: null });
}

export async function claim(engine: Engine, delivery: Delivery): Promise<RunningRun> {
  const claimed = await tryClaim(engine, delivery);
  if (claimed.outcome !== 'claimed') throw new Error(`the claim was ${claimed.outcome}`);
  return claimed.run;
}

export const record = (engine: Engine, run: RunningRun, step: number) =>
  recordStep(engine, run, { stepId: `step-${step}`, output: PAYLOAD, startedAt: engine.clock.now() });

export async function recordInTurn(engine: Engine, run: RunningRun, first: number, last: number): Promise<void> {
  for (let step = first; step <= last; step++) await record(engine, run, step);
}

export async function finish(engine: Engine, run: RunningRun): Promise<void> {
  const end = await endRun(engine, run, { status: 'COMPLETED', output: PAYLOAD });
  if (!end.ok) throw new Error('the run was lost before its end');
}

export const register = (engine: Engine, maxConcurrent = 10): Promise<Worker> =>
  registerWorker(engine, {
    namespace: NAMESPACE,
    name: 'orders',
    hostname: 'ip-10-0-101-202.ec2.internal',
    pid: 4_321,
    version: '1.0.0',
    taskQueue: QUEUE,
    workflowTypes: [WORKFLOW_TYPE],
    labels: {},
    maxConcurrent,
    queueConcurrencyLimit: null,
    workflowTypeConcurrency: {},
  });

export async function poll(engine: Engine, { namespace, taskQueue, workerId }: Worker): Promise<Task> {
  const task = await pollTask(engine, { namespace, taskQueue, workerId, timeoutMs: 0 });
  if (task === null) throw new Error('nothing to poll');
  return task;
}
