import type { Failure } from '../model/failure.ts';
import { type EndedRun, isEnded, type Parent, type Run } from '../model/run.ts';
import { cancelTimer, dispatch } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { headRoom } from '../store/head-room.ts';
import { readHistory } from '../store/history.ts';
import { childArrival, putArrival } from '../store/inbox.ts';
import { checkPayload, type PayloadText, storePayload } from '../store/payloads.ts';
import { type HeadWrite, readRun } from '../store/run-head.ts';
import { type Ending, endHead, isPutDown, notifyHead, owesWord, settleHead } from '../store/runs.ts';
import { stepTtl } from '../store/steps.ts';
import { tellSchedule } from './tell-schedule.ts';

export type End =
  | { readonly status: 'COMPLETED'; readonly output: PayloadText | undefined }
  /** `takesOver`: not by the holder of the run, whose own end of it must not be taken for this one. */
  | { readonly status: 'FAILED'; readonly error: Failure; readonly takesOver?: boolean }
  | { readonly status: 'CANCELLED'; readonly reason: string | null };

const METRICS = { COMPLETED: 'runs_completed', FAILED: 'runs_failed', CANCELLED: 'runs_cancelled' } as const;

/** Large results are written before the head that refers to them; what the run owes to others, after it. */
export async function endRun(engine: Engine, run: Run, end: End): Promise<HeadWrite> {
  if (end.status === 'COMPLETED') checkPayload(engine, 'output', end.output);
  const now = engine.clock.now();
  // Its own name for every try: what an ended run refers to never changes.
  const place = { run, incarnation: run.incarnation, name: () => `end.${engine.ids.writeId()}` };
  const room = { inlineBytes: headRoom(run), ownItem: true, ttl: stepTtl(engine, now) };
  const storing = storePayload(engine, place, resultOf(end), room);
  const stored = storing instanceof Promise ? await storing : storing;
  const { payload } = stored;
  const write = await endHead(engine, run, endingOf(end, payload), {
    now,
    spentWriteUnits: stored.writeUnits,
    blobs: payload?.at === 'blob',
  });
  if (!write.ok) return write;
  engine.telemetry.count(METRICS[end.status], 1, { workflow_type: run.workflowType });
  if (!isByHolder(run, end)) await cancelTimer(engine, run);
  if (owesWord(run)) await settleEnd(engine, write.run as EndedRun);
  return write;
}

/** Who holds a run has taken its timer away when it claimed it. */
const isByHolder = (run: Run, end: End): boolean =>
  run.status === 'RUNNING' && (end.status === 'COMPLETED' || (end.status === 'FAILED' && end.takesOver !== true));

function resultOf(end: End): PayloadText | undefined {
  switch (end.status) {
    case 'COMPLETED':
      return end.output;
    case 'FAILED':
      return JSON.stringify(end.error);
    case 'CANCELLED':
      return undefined;
  }
}

function endingOf(end: End, stored: Awaited<ReturnType<typeof storePayload>>['payload']): Ending {
  switch (end.status) {
    case 'COMPLETED':
      return { status: end.status, output: stored };
    case 'FAILED':
      return {
        status: end.status,
        error: end.error,
        wholeError: stored?.at === 'inline' ? null : stored,
        takesOver: end.takesOver === true,
      };
    case 'CANCELLED':
      return end;
  }
}

/** Pays what an ended run owes, again and again until it is written: then it leaves the due index. */
export async function settleEnd(engine: Engine, run: EndedRun): Promise<void> {
  if (run.parent !== null) await tellParent(engine, run, run.parent);
  if (run.tellsSchedule) await tellSchedule(engine, run);
  if (run.children && run.status !== 'COMPLETED') await cancelChildren(engine, run);
  await settleHead(engine, run);
}

/** First the write-once arrival, then the head that points to it. */
async function tellParent(engine: Engine, run: EndedRun, { runId, incarnation, stepId }: Parent): Promise<void> {
  const parentId = { namespace: run.namespace, runId };
  const name = childArrival(run.runId, run.incarnation);
  const arrival = { what: 'child-ended', stepId, childRunId: run.runId, status: run.status } as const;
  await putArrival(engine, { ...parentId, incarnation }, name, arrival);
  for (;;) {
    const parent = await readRun(engine, parentId);
    if (parent === null || parent.incarnation !== incarnation || isEnded(parent)) return;
    const write = await notifyHead(engine, parent, engine.clock.now());
    if (!write.ok) continue;
    if (isPutDown(parent)) await dispatch(engine, parent, engine.clock.now());
    return;
  }
}

async function cancelChildren(engine: Engine, run: EndedRun): Promise<void> {
  const { steps } = await readHistory(engine, run);
  for (const { childRunId } of steps) {
    if (childRunId !== null) await cancelChild(engine, run, childRunId, 'the parent run ended');
  }
}

/** A run that was there before, found by its external id, is nobody's child and goes on. */
export async function cancelChild(engine: Engine, parent: Run, childRunId: string, reason: string): Promise<void> {
  const child = await readRun(engine, { namespace: parent.namespace, runId: childRunId });
  if (child?.parent?.incarnation === parent.incarnation) await cancelOpen(engine, child, reason);
}

/** Cancels whatever state it is in by now; answers the run that had ended before, if so. */
export async function cancelOpen(engine: Engine, seen: Run, reason: string | null): Promise<HeadWrite> {
  let run: Run | null = seen;
  while (run !== null && run.incarnation === seen.incarnation && !isEnded(run)) {
    const write = await endRun(engine, run, { status: 'CANCELLED', reason });
    if (write.ok) return write;
    run = write.current;
  }
  return { ok: false, current: run };
}
