import { KagziError } from '../model/errors.ts';
import type { RunningRun } from '../model/run.ts';
import type { Worker } from '../model/worker.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import { offlineWorker, settleWorker } from '../store/workers.ts';
import { recoverRun } from './recover-run.ts';
import { releaseRun } from './release-run.ts';

/**
 * Ends a session and gives its runs to others. The worker stays in the due index until every run it listed has
 * been looked at, so a crash in the middle is finished by the watchdog.
 */
async function retire(
  engine: Engine,
  worker: Worker,
  onlyIfSilentSince: number | undefined,
  giveBack: (run: RunningRun) => Promise<void>,
): Promise<void> {
  // What it listed last, which may be more than was seen before.
  const retired = worker.status === 'OFFLINE' ? worker : await offlineWorker(engine, worker, onlyIfSilentSince);
  if (retired === null) return;
  for (const runId of retired.runs) {
    const run = await readRun(engine, { namespace: worker.namespace, runId });
    if (run?.status === 'RUNNING' && run.lease.session === worker.workerId) await giveBack(run);
  }
  await settleWorker(engine, worker);
}

/** It went silent: that its runs did not get on may be their own fault. */
export const retireSilentWorker = (engine: Engine, worker: Worker): Promise<void> =>
  retire(engine, worker, worker.status === 'OFFLINE' ? undefined : worker.heartbeatAt, (run) =>
    recoverRun(engine, run),
  );

/** It was told to go, or was replaced: no fault of its runs, which go on at once. */
export const retireWorker = (engine: Engine, worker: Worker): Promise<void> =>
  retire(engine, worker, undefined, async (run) => {
    try {
      await releaseRun(engine, run);
    } catch (error) {
      // It ended, or was taken over, in the meantime.
      if (!(error instanceof KagziError)) throw error;
    }
  });
