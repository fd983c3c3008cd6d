import type { Worker } from '../model/worker.ts';
import type { Engine } from '../store/engine.ts';
import { noteTaskQueue } from '../store/seen.ts';
import { createWorker, queryWorkers } from '../store/workers.ts';
import { retireWorker } from './retire-worker.ts';
import { requireTaskQueue } from './start-run.ts';

export type RegisterWorker = Pick<
  Worker,
  | 'namespace'
  | 'name'
  | 'hostname'
  | 'pid'
  | 'version'
  | 'taskQueue'
  | 'workflowTypes'
  | 'labels'
  | 'maxConcurrent'
  | 'queueConcurrencyLimit'
  | 'workflowTypeConcurrency'
>;

/** The same host and pid registering anew is the same process reborn: its former session ends and its runs come back. */
export async function registerWorker(engine: Engine, request: RegisterWorker): Promise<Worker> {
  await requireTaskQueue(engine, request.taskQueue);
  await noteTaskQueue(engine, request.namespace, request.taskQueue);
  const now = engine.clock.now();
  const worker: Worker = {
    ...request,
    workerId: engine.ids.uuid(now),
    status: 'ONLINE',
    registeredAt: now,
    heartbeatAt: now,
    expiresAt: now + engine.config.workerStaleMs,
    deregisteredAt: null,
    runs: [],
    activeCount: 0,
    completed: 0,
    failed: 0,
  };
  const former = await formerSessions(engine, worker);
  await createWorker(engine, worker);
  for (const old of former) await retireWorker(engine, old);
  return worker;
}

async function formerSessions(engine: Engine, worker: Worker): Promise<Worker[]> {
  if (worker.hostname === null || worker.pid === null) return [];
  const former: Worker[] = [];
  let after: string | undefined;
  do {
    const page = await queryWorkers(engine, worker.namespace, { after, limit: 1_000 });
    former.push(
      ...page.workers.filter(
        (other) =>
          other.status !== 'OFFLINE' &&
          // A registration that was held up on its way must not end the session that came after it.
          other.registeredAt <= worker.registeredAt &&
          other.taskQueue === worker.taskQueue &&
          other.hostname === worker.hostname &&
          other.pid === worker.pid,
      ),
    );
    after = page.next ?? undefined;
  } while (after !== undefined);
  return former;
}
