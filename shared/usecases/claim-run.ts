import { failure } from '../model/failure.ts';
import type { Run, RunningRun } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import { cancelTimer, type RunMessage } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { extendData } from '../store/extend-history.ts';
import { outlives, PACK_ABOVE, packHistory, readHistory } from '../store/history.ts';
import { readRun } from '../store/run-head.ts';
import { type Claim, claimHead, pushDue } from '../store/runs.ts';
import { carryLateSteps } from './carry-late-steps.ts';
import { endRun } from './end-run.ts';

export type ClaimResult =
  | { readonly outcome: 'claimed'; readonly run: RunningRun; readonly history: readonly Step[] }
  /** Its time has not come: worth another look then. */
  | { readonly outcome: 'early'; readonly at: number }
  /** Ended, held by another, or gone: the message is of no more use. */
  | { readonly outcome: 'moot'; readonly current: Run | null };

/** A fresh run costs one update and no read; only a run that ran before has a history to read. */
export async function claimRun(
  engine: Engine,
  message: Pick<RunMessage, 'namespace' | 'runId' | 'incarnation' | 'resends'>,
  who: Omit<Claim, 'token'>,
): Promise<ClaimResult> {
  const now = engine.clock.now();
  const write = await claimHead(engine, message, { ...who, token: engine.ids.token() }, now);
  if (!write.ok) {
    const { current } = write;
    const waits = current?.status === 'PENDING' || current?.status === 'SLEEPING';
    if (waits && current.incarnation === message.incarnation && current.availableAt > now) {
      return { outcome: 'early', at: current.availableAt };
    }
    return { outcome: 'moot', current };
  }
  const run = await dueByLease(engine, write.run as RunningRun);
  await cancelTimer(engine, run);
  engine.telemetry.count('runs_claimed', 1, { workflow_type: run.workflowType });
  // Also if it was claimed before: whoever did may have died before it had looked.
  const orphan = run.steps === 0 ? await orphaned(engine, run) : null;
  if (orphan !== null) return orphan;
  return run.epoch === 1 ? { outcome: 'claimed', run, history: [] } : resume(engine, run);
}

/** The message may have known nothing of the latest dispatches, and the claim nothing of a cancellation with a grace. */
async function dueByLease(engine: Engine, run: RunningRun): Promise<RunningRun> {
  const by = Math.min(run.lease.until, run.cancelAt ?? run.lease.until);
  if (run.dueAt !== null && run.dueAt <= by) return run;
  const push = await pushDue(engine, run, by, run.resends);
  return push.ok ? (push.run as RunningRun) : run;
}

async function resume(engine: Engine, run: RunningRun): Promise<ClaimResult> {
  // Whoever packed it may have died before it had looked again.
  await carryLateSteps(engine, run);
  const history = await readHistory(engine, run);
  const recorded = history.packed.length + history.loose.length;
  if (recorded < run.steps) {
    const message = `The run recorded at least ${run.steps} steps, but only ${recorded} can be read: going on would execute completed steps again.`;
    const error = failure({ code: 'HISTORY_INCOMPLETE', message, nonRetryable: true });
    await endRun(engine, run, { status: 'FAILED', error });
    return { outcome: 'moot', current: null };
  }
  const now = engine.clock.now();
  const tooOld = recorded > 0 && outlives(run, now);
  if (history.loose.length <= PACK_ABOVE && !tooOld) return { outcome: 'claimed', run, history: history.steps };
  if (tooOld) await extendData(engine, run, now);
  const packed = await packHistory(engine, run, history, tooOld ? now : run.history.safeUntil);
  if (!packed.ok) return { outcome: 'moot', current: packed.current };
  return { outcome: 'claimed', run: packed.run as RunningRun, history: history.steps };
}

/** A child whose parent was cancelled or failed while it waited ends with it. */
async function orphaned(engine: Engine, run: RunningRun): Promise<ClaimResult | null> {
  if (run.parent === null) return null;
  const parent = await readRun(engine, { namespace: run.namespace, runId: run.parent.runId });
  const ended = parent?.status === 'CANCELLED' || parent?.status === 'FAILED';
  if (!ended || parent.incarnation !== run.parent.incarnation) return null;
  await endRun(engine, run, { status: 'CANCELLED', reason: 'the parent run ended' });
  return { outcome: 'moot', current: null };
}
