import { isEnded } from '../model/run.ts';
import { dispatch, sendBlobSweep } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import type { FireMessage } from '../store/schedule-timer.ts';
import { handleFireMessage } from './fire-schedule.ts';
import { sweepBlobs } from './purge-run.ts';
import { sweepShard } from './watchdog-tick.ts';

type Control =
  | { readonly wake: { readonly namespace: string; readonly runId: string; readonly incarnation: string } }
  | { readonly fire: FireMessage }
  | { readonly blobs: { readonly after?: string } }
  | { readonly sweep: { readonly shard: number } };

/** What is left of a long sweep is another message, so that none outlasts its invocation. */
const BLOB_PAGES = 20;

/** Messages of the engine to itself. Throws what it cannot read, so that it ends among the dead letters. */
export async function handleControl(engine: Engine, body: string): Promise<void> {
  const message = JSON.parse(body) as Control;
  if ('wake' in message) {
    const run = await readRun(engine, message.wake);
    if (run === null || run.incarnation !== message.wake.incarnation || isEnded(run) || run.status === 'RUNNING')
      return;
    await dispatch(engine, run, run.availableAt);
    return;
  }
  if ('fire' in message) return handleFireMessage(engine, message.fire);
  if ('blobs' in message) return sweepSomeBlobs(engine, message.blobs.after);
  await sweepShard(engine, message.sweep.shard);
}

async function sweepSomeBlobs(engine: Engine, from: string | undefined): Promise<void> {
  let after = from;
  for (let page = 0; page < BLOB_PAGES; page += 1) {
    const next = await sweepBlobs(engine, after);
    if (next === null) return;
    after = next;
  }
  await sendBlobSweep(engine, after);
}
