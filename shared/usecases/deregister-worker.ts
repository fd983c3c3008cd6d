import type { Worker } from '../model/worker.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import { drainWorker } from '../store/workers.ts';
import { getWorker } from './get-worker.ts';
import { holds, type RunLease } from './lease.ts';
import { releaseRun } from './release-run.ts';
import { retireWorker } from './retire-worker.ts';

export interface DeregisterWorker {
  readonly namespace: string;
  readonly workerId: string;
  readonly drain: boolean;
  /** Runs it holds; those it has polled since its last heartbeat are known to nobody else. */
  readonly leases: readonly RunLease[];
}

/** Draining lets it finish what it holds; draining twice, or not draining, ends it and its runs come back. */
export async function deregisterWorker(engine: Engine, request: DeregisterWorker): Promise<Worker> {
  const { namespace, workerId } = request;
  const worker = await getWorker(engine, namespace, workerId);
  if (request.drain && worker.status === 'ONLINE') {
    await drainWorker(engine, namespace, workerId);
  } else {
    await retireWorker(engine, worker);
    for (const lease of request.leases) {
      const run = await readRun(engine, lease);
      if (holds(run, lease) && run.lease.session === workerId) await releaseRun(engine, run);
    }
  }
  return getWorker(engine, namespace, workerId);
}
