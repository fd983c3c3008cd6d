import type { Worker } from '../model/worker.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import { offlineWorker, settleWorker } from '../store/workers.ts';
import { recoverRun } from './recover-run.ts';

/**
 * Ends a session and gives its runs to others. The worker stays in the due index until every run it listed has
 * been looked at, so a crash in the middle is finished by the watchdog.
 */
export async function retireWorker(engine: Engine, worker: Worker, onlyIfSilentSince?: number): Promise<void> {
  if (worker.status !== 'OFFLINE' && !(await offlineWorker(engine, worker, onlyIfSilentSince))) return;
  for (const runId of worker.runs) {
    const run = await readRun(engine, { namespace: worker.namespace, runId });
    if (run?.status === 'RUNNING' && run.lease.session === worker.workerId) await recoverRun(engine, run);
  }
  await settleWorker(engine, worker);
}
