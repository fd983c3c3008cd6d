import type { OpenRun, Run, RunId } from '../model/run.ts';
import { CONTROL_QUEUE, ENGINE_GROUP } from '../ports/queue.ts';
import type { Engine } from './engine.ts';

/** A hint that a run wants a worker. Losing it costs time only. */
export interface RunMessage extends RunId {
  readonly incarnation: string;
  readonly workflowType: string;
  readonly version: string;
}

export const encodeRunMessage = (run: RunMessage): string =>
  JSON.stringify({ n: run.namespace, r: run.runId, i: run.incarnation, t: run.workflowType, v: run.version });

/** Null for anything that is no run message. */
export function decodeRunMessage(body: string): RunMessage | null {
  try {
    const { n, r, i, t, v } = JSON.parse(body) as Record<string, unknown>;
    const texts = [n, r, i, t, v];
    if (!texts.every((text) => typeof text === 'string')) return null;
    const [namespace = '', runId = '', incarnation = '', workflowType = '', version = ''] = texts as string[];
    return { namespace, runId, incarnation, workflowType, version };
  } catch {
    return null;
  }
}

const timerId = (run: Pick<Run, 'runId' | 'incarnation'>): string => `${run.runId}.${run.incarnation}`;

type Dispatched = Pick<Run, 'namespace' | 'runId' | 'incarnation' | 'version' | 'taskQueue' | 'workflowType'>;

/** Now or within the queue's longest delay: a message; later: a timer that sends one. A failure is the watchdog's to mend. */
export async function dispatch(engine: Engine, run: Dispatched, at: number): Promise<void> {
  const delayMs = Math.max(0, at - engine.clock.now());
  try {
    if (delayMs > engine.queue.maxDelayMs) {
      const body = JSON.stringify({
        wake: { namespace: run.namespace, runId: run.runId, incarnation: run.incarnation },
      });
      await engine.timers.set(timerId(run), at - engine.timers.leadMs, { body, group: run.namespace });
    } else {
      await engine.queue.send(run.taskQueue, [
        {
          body: encodeRunMessage(run),
          group: run.namespace,
          kind: run.workflowType,
          ...(delayMs > 0 ? { delayMs } : {}),
        },
      ]);
    }
  } catch (error) {
    engine.telemetry.log('warn', 'dispatch failed; the watchdog will send it again', {
      namespace: run.namespace,
      run_id: run.runId,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** For a run that was put down and is wanted before its time: the timer it may have set is of no more use. */
export async function wakeNow(engine: Engine, run: OpenRun): Promise<void> {
  const now = engine.clock.now();
  await dispatch(engine, run, now);
  if (run.status !== 'RUNNING' && run.availableAt - now > engine.timers.leadMs) await cancelTimer(engine, run);
}

export async function cancelTimer(engine: Engine, run: Run): Promise<void> {
  try {
    await engine.timers.cancel(timerId(run));
  } catch {
    // It fires into the void: the wake-up of an ended run does nothing.
  }
}

export const sendSweep = (engine: Engine, shard: number): Promise<void> =>
  engine.queue.send(CONTROL_QUEUE, [
    { body: JSON.stringify({ sweep: { shard } }), group: ENGINE_GROUP, kind: 'sweep' },
  ]);

/** Blobs that nothing refers to; from this key on. */
export const sendBlobSweep = (engine: Engine, after?: string): Promise<void> =>
  engine.queue.send(CONTROL_QUEUE, [
    { body: JSON.stringify({ blobs: after === undefined ? {} : { after } }), group: ENGINE_GROUP, kind: 'blobs' },
  ]);
