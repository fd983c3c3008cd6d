import { failure } from '../model/failure.ts';
import type { Run, RunningRun } from '../model/run.ts';
import type { Step } from '../model/step.ts';
import type { RunMessage } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { outlives, PACK_ABOVE, packHistory, readHistory } from '../store/history.ts';
import { readRun } from '../store/run-head.ts';
import { type Claim, claimHead } from '../store/runs.ts';
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
  message: Omit<RunMessage, 'version'>,
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
  const run = write.run as RunningRun;
  engine.telemetry.count('runs_claimed', 1, { workflow_type: run.workflowType });
  if (run.epoch === 1) return (await orphaned(engine, run)) ?? { outcome: 'claimed', run, history: [] };
  return resume(engine, run);
}

async function resume(engine: Engine, run: RunningRun): Promise<ClaimResult> {
  const history = await readHistory(engine, run);
  if (history.steps.length < run.steps) {
    const message = `The run recorded at least ${run.steps} steps, but only ${history.steps.length} can be read: going on would execute completed steps again.`;
    await endRun(engine, run, {
      status: 'FAILED',
      error: failure({ code: 'HISTORY_INCOMPLETE', message, nonRetryable: true }),
    });
    return { outcome: 'moot', current: null };
  }
  const now = engine.clock.now();
  if (history.unpacked <= PACK_ABOVE && !(history.steps.length > 0 && outlives(run, now))) {
    return { outcome: 'claimed', run, history: history.steps };
  }
  const packed = await packHistory(engine, run, history, outlives(run, now) ? now : run.history.safeUntil);
  if (!packed.ok) return { outcome: 'moot', current: packed.current };
  return { outcome: 'claimed', run: packed.run as RunningRun, history: history.steps };
}

/** A child whose parent was cancelled while it waited ends with it. */
async function orphaned(engine: Engine, run: RunningRun): Promise<ClaimResult | null> {
  if (run.parent === null) return null;
  const parent = await readRun(engine, { namespace: run.namespace, runId: run.parent.runId });
  if (parent?.incarnation !== run.parent.incarnation || parent.status !== 'CANCELLED') return null;
  await endRun(engine, run, { status: 'CANCELLED', reason: 'the parent run was cancelled' });
  return { outcome: 'moot', current: null };
}
