import { KagziError } from '../model/errors.ts';
import { failure } from '../model/failure.ts';
import type { RunningRun } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { Worker } from '../model/worker.ts';
import type { Delivery } from '../ports/queue.ts';
import { decodeRunMessage } from '../store/dispatch.ts';
import { isDraining } from '../store/drain.ts';
import type { Engine } from '../store/engine.ts';
import { headKey } from '../store/keys.ts';
import { loadPayload, MissingPayloadError, type PayloadText } from '../store/payloads.ts';
import { readHeads } from '../store/run-head.ts';
import { readWorker } from '../store/workers.ts';
import { acknowledge } from './acknowledge.ts';
import { claimRun } from './claim-run.ts';
import { comeBack } from './come-back.ts';
import { endRun } from './end-run.ts';
import { workerNotFound } from './get-worker.ts';
import { leaseOf, type RunLease } from './lease.ts';
import { passOn } from './pass-on.ts';
import { releaseRun } from './release-run.ts';
import { requireTaskQueue } from './start-run.ts';

export interface PollTask {
  readonly namespace: string;
  readonly taskQueue: string;
  readonly workerId: string;
  /** A subset of the registered ones. */
  readonly workflowTypes?: readonly string[] | undefined;
  /** By type; of a type that is not named, any. */
  readonly versions?: ReadonlyMap<string, readonly string[]> | undefined;
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
/** How often it is asked again whether a full worker has room. */
const FULL_LOOK_MS = 1_000;

export async function pollTask(engine: Engine, request: PollTask): Promise<Task | null> {
  const worker = await pollingWorker(engine, request);
  const timeout = Math.min(request.timeoutMs ?? engine.config.pollTimeoutMs, engine.config.pollTimeoutMs);
  const deadline = engine.clock.monotonic() + timeout - engine.ids.random() * Math.min(JITTER_MS, timeout / 4);
  if (!(await hasRoom(engine, worker, request.signal, deadline))) return null;
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
    if (task !== null && request.signal?.aborted === true) {
      // Nobody is there to get it: others need not wait for its lease to lapse.
      await releaseRun(engine, task.run);
      return null;
    }
    if (task !== null) return task;
  } while (engine.clock.monotonic() < deadline && request.signal?.aborted !== true);
  return null;
}

/**
 * A worker is full by its own last word: the runs it named in its heartbeat, less those that have ended since. It is
 * made to wait then, because an answer at once would only make it ask again.
 */
async function hasRoom(
  engine: Engine,
  worker: Worker,
  signal: AbortSignal | undefined,
  deadline: number,
): Promise<boolean> {
  let current: Worker | null = worker;
  while (current !== null && (await countHeld(engine, current)) >= current.maxConcurrent) {
    const left = Math.min(FULL_LOOK_MS, deadline - engine.clock.monotonic());
    if (left <= 0 || signal?.aborted === true) return false;
    await engine.clock.sleep(left, signal).catch(() => undefined);
    current = await readWorker(engine, worker.namespace, worker.workerId);
  }
  return current !== null;
}

async function countHeld(engine: Engine, { namespace, workerId, runs, maxConcurrent }: Worker): Promise<number> {
  if (runs.length < maxConcurrent) return runs.length;
  const heads = await readHeads(
    engine,
    runs.map((runId) => headKey({ namespace, runId })),
  );
  return [...heads.values()].filter((run) => run.status === 'RUNNING' && run.lease.session === workerId).length;
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
  // A stack may have lost it since.
  await requireTaskQueue(engine, request.taskQueue);
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
  const served = request.versions?.get(message.workflowType);
  if (served !== undefined && !served.includes(message.version)) {
    await passOn(engine, message, served);
    await acknowledge(engine, taskQueue, delivery);
    return null;
  }
  const claim = await claimRun(engine, message, { owner: request.workerId, session: request.workerId });
  if (claim.outcome === 'early') {
    await comeBack(engine, taskQueue, delivery, claim.at);
    return null;
  }
  await acknowledge(engine, taskQueue, delivery);
  if (claim.outcome === 'moot') return null;
  const { run } = claim;
  try {
    const input = await loadPayload(engine, run, run.incarnation, run.input);
    return { run, lease: leaseOf(run), input, history: claim.history };
  } catch (error) {
    if (!(error instanceof MissingPayloadError)) throw error;
    const missing = failure({ code: 'PAYLOAD_MISSING', message: error.message, nonRetryable: true });
    await endRun(engine, run, { status: 'FAILED', error: missing });
    return null;
  }
}
