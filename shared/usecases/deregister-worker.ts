import type { Worker } from '../model/worker.ts';
import type { Engine } from '../store/engine.ts';
import { drainWorker } from '../store/workers.ts';
import { getWorker } from './get-worker.ts';
import { retireWorker } from './retire-worker.ts';

/** Draining lets it finish what it holds; draining twice, or not draining, ends it and its runs come back. */
export async function deregisterWorker(
  engine: Engine,
  namespace: string,
  workerId: string,
  drain: boolean,
): Promise<Worker> {
  const worker = await getWorker(engine, namespace, workerId);
  if (drain && worker.status === 'ONLINE') await drainWorker(engine, namespace, workerId);
  else await retireWorker(engine, worker);
  return getWorker(engine, namespace, workerId);
}
