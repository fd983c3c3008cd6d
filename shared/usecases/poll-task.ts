import { KagziError } from '../model/errors.ts';
import type { RunningRun } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { Worker } from '../model/worker.ts';
import type { Delivery } from '../ports/queue.ts';
import { decodeRunMessage } from '../store/dispatch.ts';
import { isDraining } from '../store/drain.ts';
import type { Engine } from '../store/engine.ts';
import { loadPayload, type PayloadText } from '../store/payloads.ts';
import { readWorker } from '../store/workers.ts';
import { claimRun } from './claim-run.ts';
import { workerNotFound } from './get-worker.ts';
import { leaseOf, type RunLease } from './lease.ts';

export interface PollTask {
  readonly namespace: string;
  readonly taskQueue: string;
  readonly workerId: string;
  /** A subset of the registered ones. */
  readonly workflowTypes?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Task {
  readonly run: RunningRun;
  readonly lease: RunLease;
  readonly input: PayloadText | undefined;
  readonly history: readonly Step[];
}

/** A message that waits for its claim is hidden for so long; a crash in between delays the run by it at most. */
const CLAIM_MS = 10_000;
/** Pollers that began together do not all come back together. */
const JITTER_MS = 500;

export async function pollTask(engine: Engine, request: PollTask): Promise<Task | null> {
  const worker = await pollingWorker(engine, request);
  const timeout = Math.min(request.timeoutMs ?? engine.config.pollTimeoutMs, engine.config.pollTimeoutMs);
  const deadline = engine.clock.monotonic() + timeout - engine.ids.random() * Math.min(JITTER_MS, timeout / 4);
  if (worker.runs.length >= worker.maxConcurrent) {
    // It said itself that it is full: an answer at once would only make it ask again.
    await engine.clock.sleep(timeout, request.signal).catch(() => undefined);
    return null;
  }
  do {
    const [delivery] = await engine.queue.receive(request.taskQueue, {
      max: 1,
      waitMs: Math.max(0, Math.round(deadline - engine.clock.monotonic())),
      visibilityMs: CLAIM_MS,
      group: request.namespace,
      kinds: request.workflowTypes ?? worker.workflowTypes,
      ...(request.signal ? { signal: request.signal } : {}),
    });
    if (delivery === undefined) return null;
    const task = await take(engine, request, delivery);
    if (task !== null) return task;
  } while (engine.clock.monotonic() < deadline && request.signal?.aborted !== true);
  return null;
}

async function pollingWorker(engine: Engine, request: PollTask): Promise<Worker> {
  const [worker, draining] = await Promise.all([
    readWorker(engine, request.namespace, request.workerId),
    isDraining(engine),
  ]);
  if (worker === null) throw workerNotFound(request.workerId);
  if (worker.status === 'DRAINING')
    throw new KagziError('WORKER_DRAINING', `The worker ${worker.workerId} is draining: it gets no new runs.`);
  if (draining) throw new KagziError('ENGINE_DRAINING', 'The engine is draining: it gives out no runs.');
  if (worker.status === 'OFFLINE')
    throw new KagziError('WORKER_OFFLINE', `The worker ${worker.workerId} is offline: register again.`);
  if (worker.taskQueue !== request.taskQueue) {
    throw new KagziError(
      'INVALID_ARGUMENT',
      `The worker is registered for task queue "${worker.taskQueue}", not "${request.taskQueue}".`,
    );
  }
  const unknown = request.workflowTypes?.filter((type) => !worker.workflowTypes.includes(type)) ?? [];
  if (unknown.length > 0) {
    throw new KagziError('INVALID_ARGUMENT', `The worker is not registered for: ${unknown.join(', ')}.`, { unknown });
  }
  return worker;
}

/** The message goes once the claim is decided: from then on the due row alone wakes the run. */
async function take(engine: Engine, request: PollTask, delivery: Delivery): Promise<Task | null> {
  const { taskQueue } = request;
  const message = decodeRunMessage(delivery.body);
  if (message === null) {
    engine.telemetry.log('warn', 'unreadable message', { task_queue: taskQueue, message_id: delivery.id });
    await engine.queue.release(taskQueue, delivery, 0);
    return null;
  }
  const claim = await claimRun(engine, message, { owner: request.workerId, session: request.workerId });
  if (claim.outcome === 'early') {
    const delay = Math.min(claim.at - engine.clock.now(), engine.queue.maxDelayMs);
    await engine.queue.release(taskQueue, delivery, Math.max(0, delay));
    return null;
  }
  await engine.queue.ack(taskQueue, [delivery]);
  if (claim.outcome === 'moot') return null;
  const { run } = claim;
  return {
    run,
    lease: leaseOf(run),
    input: await loadPayload(engine, run, run.incarnation, run.input),
    history: claim.history,
  };
}
