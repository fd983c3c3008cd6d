import { KagziError } from '../model/errors.ts';
import type { Worker } from '../model/worker.ts';
import type { Engine } from '../store/engine.ts';
import { readWorker } from '../store/workers.ts';

export const workerNotFound = (workerId: string): KagziError =>
  new KagziError('WORKER_NOT_FOUND', `There is no worker ${workerId}.`);

export async function getWorker(engine: Engine, namespace: string, workerId: string): Promise<Worker> {
  const worker = await readWorker(engine, namespace, workerId);
  if (worker === null) throw workerNotFound(workerId);
  return worker;
}
