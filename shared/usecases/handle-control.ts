import { isEnded } from '../model/run.ts';
import { dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { readRun } from '../store/run-head.ts';
import { sweepShard } from './watchdog-tick.ts';

type Control =
  | { readonly wake: { readonly namespace: string; readonly runId: string; readonly incarnation: string } }
  | { readonly sweep: { readonly shard: number } };

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
  await sweepShard(engine, message.sweep.shard);
}
