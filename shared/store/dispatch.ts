import { xrayHeader } from '../model/request-trace.ts';
import type { Run, RunId } from '../model/run.ts';
import { CONTROL_QUEUE, ENGINE_GROUP } from '../ports/queue.ts';
import type { Engine } from './engine.ts';

/** A hint that a run wants a worker. Losing it costs time only. */
export interface RunMessage extends RunId {
  readonly incarnation: string;
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string;
  /** Of its run when it was sent: how long it takes until the watchdog sends another. */
  readonly resends: number;
  /** Set once it came to a worker that lacks the version: how often, and until when it is passed on. */
  readonly passed?: { readonly times: number; readonly until: number };
}

export const encodeRunMessage = (run: RunMessage): string =>
  JSON.stringify({
    n: run.namespace,
    r: run.runId,
    i: run.incarnation,
    t: run.workflowType,
    v: run.version,
    q: run.taskQueue,
    ...(run.resends === 0 ? {} : { s: run.resends }),
    ...(run.passed === undefined ? {} : { p: [run.passed.times, run.passed.until] }),
  });

/** Null for anything that is no run message. */
export function decodeRunMessage(body: string): RunMessage | null {
  try {
    const { n, r, i, t, v, q, s = 0, p = [] } = JSON.parse(body) as Record<string, unknown>;
    const texts = [n, r, i, t, v, q];
    if (!texts.every((text) => typeof text === 'string') || typeof s !== 'number' || !Array.isArray(p)) return null;
    const [namespace = '', runId = '', incarnation = '', workflowType = '', version = '', taskQueue = ''] =
      texts as string[];
    const [times, until] = p as unknown[];
    const passed = typeof times === 'number' && typeof until === 'number' ? { passed: { times, until } } : {};
    return { namespace, runId, incarnation, workflowType, version, taskQueue, resends: s, ...passed };
  } catch {
    return null;
  }
}

/** A dispatch not claimed by then counts as lost; also how long a wake-up may be late before the watchdog steps in. */
export const DISPATCH_GRACE_MS = 30_000;
const MAX_RESEND_MS = 15 * 60_000;

/** How long after a dispatch the watchdog sends another, if nobody has claimed the run: the longer the oftener it did. */
export const resendWaitMs = (resends: number): number => Math.min(DISPATCH_GRACE_MS * 2 ** resends, MAX_RESEND_MS);

/** What a message of this work carries. */
export const tracedBy = ({ trace }: Engine): { readonly trace?: string } =>
  trace === undefined ? {} : { trace: xrayHeader(trace) };

/** To whoever serves its queue; not to be counted as another delivery of the one it follows. */
export const sendRunMessage = (engine: Engine, message: RunMessage, delayMs: number): Promise<void> =>
  engine.queue.send(message.taskQueue, [
    {
      body: encodeRunMessage(message),
      group: message.namespace,
      kind: message.workflowType,
      ...(delayMs > 0 ? { delayMs } : {}),
      ...tracedBy(engine),
    },
  ]);

const timerId = (run: Pick<RunMessage, 'runId' | 'incarnation'>): string => `${run.runId}.${run.incarnation}`;

/** What a timer must wake a run for, because no message can be delayed for so long; else null. */
export const timerFor = (engine: Engine, at: number): number | null =>
  at - engine.clock.now() > engine.queue.maxDelayMs ? at : null;

/** Now or within the queue's longest delay: a message; later: a timer that sends one. */
export const dispatch = (engine: Engine, run: RunMessage, at: number): Promise<void> =>
  timerFor(engine, at) === null ? sendAt(engine, run, at) : setTimer(engine, run, at);

const sendAt = (engine: Engine, run: RunMessage, at: number): Promise<void> =>
  hint(engine, run, () => sendRunMessage(engine, run, Math.max(0, at - engine.clock.now())));

const setTimer = (engine: Engine, run: RunMessage, at: number): Promise<void> =>
  hint(engine, run, () => {
    const wake = { namespace: run.namespace, runId: run.runId, incarnation: run.incarnation };
    const body = JSON.stringify({ wake });
    return engine.timers.set(timerId(run), at - engine.timers.leadMs, {
      body,
      group: run.namespace,
      ...tracedBy(engine),
    });
  });

/** A failure is the watchdog's to mend. */
async function hint(engine: Engine, run: RunMessage, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    engine.telemetry.log('warn', 'dispatch failed; the watchdog will send it again', {
      namespace: run.namespace,
      run_id: run.runId,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/**
 * Puts a run down until a time; `write` answers it as it waits, or null if it does not. Its timer is set before, while
 * nobody else has the run: set after, it could come when the run has gone on, and stay.
 */
export async function dispatchAround(
  engine: Engine,
  run: RunMessage,
  at: number,
  write: (timerAt: number | null) => Promise<Run | null>,
): Promise<Run | null> {
  const timerAt = timerFor(engine, at);
  if (timerAt !== null) await setTimer(engine, run, timerAt);
  let waiting: Run | null = null;
  try {
    waiting = await write(timerAt);
  } finally {
    if (waiting === null && timerAt !== null) await forgetTimer(engine, run);
  }
  if (waiting !== null && timerAt === null) await sendAt(engine, waiting, at);
  return waiting;
}

/** A run that goes on or ends before its time needs the timer no more that it may have set. */
export async function cancelTimer(engine: Engine, run: Run): Promise<void> {
  if (run.timerAt === null || run.timerAt - engine.timers.leadMs <= engine.clock.now()) return;
  await forgetTimer(engine, run);
}

async function forgetTimer(engine: Engine, run: RunMessage): Promise<void> {
  try {
    await engine.timers.cancel(timerId(run));
  } catch {
    // It fires into the void: the wake-up of a run that is held or has ended does nothing.
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
