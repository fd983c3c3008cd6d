import type { Run, RunningRun } from '../model/run.ts';
import { dispatchAround } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { countSteps } from '../store/history.ts';
import { readRun } from '../store/run-head.ts';
import { retryHead, sleepHead } from '../store/runs.ts';
import { holds, leaseLost, leaseOf, type RunLease } from './lease.ts';
import { preserveHistory } from './preserve-history.ts';

export interface SuspendRun {
  readonly until: number;
  /** SLEEPING for a sleep or a child, PENDING for the next attempt of a step. */
  readonly status: 'SLEEPING' | 'PENDING';
  /** How many arrivals the worker has read. */
  readonly inboxRead: number;
}

/**
 * The worker puts the run down until a time, or until something arrives. Null then; if something has arrived already,
 * the run as the worker still holds it, whose steps may be of another generation now.
 */
export async function suspendRun(engine: Engine, held: RunningRun, request: SuspendRun): Promise<RunningRun | null> {
  const run = await preserveHistory(engine, held, request.until);
  const steps = await countSteps(engine, run);
  const { at, idle } = notAtOnce(run, request.until, steps, engine.clock.now());
  let current: Run | null = null;
  const waiting = await dispatchAround(engine, run, at, async (timerAt) => {
    const wait = { at, timerAt, steps, inboxRead: request.inboxRead, idle };
    const write =
      request.status === 'SLEEPING'
        ? await sleepHead(engine, run, wait)
        : await retryHead(engine, run, { ...wait, attempts: run.attempts });
    if (write.ok) return write.run;
    current = write.current;
    return null;
  });
  if (waiting === null) {
    if (holds(current, leaseOf(run))) return current;
    throw leaseLost(leaseOf(run), current);
  }
  if (request.status === 'SLEEPING') {
    engine.telemetry.count('sleeps_started', 1, { workflow_type: run.workflowType });
  }
  return null;
}

const IDLE_WAIT_MS = 1_000;
const MAX_IDLE_WAIT_MS = 60_000;

/**
 * A worker whose clock is behind puts a run down until a time that has come, gets it at once, and so on. Once that may
 * happen, because a time passes while the call is on its way; after that the pauses grow.
 */
function notAtOnce(run: RunningRun, until: number, steps: number, now: number): { at: number; idle: number } {
  if (until > now || steps > run.steps) return { at: until, idle: 0 };
  const idle = run.idle + 1;
  const waitMs = idle === 1 ? 0 : Math.min(IDLE_WAIT_MS * 2 ** (idle - 2), MAX_IDLE_WAIT_MS);
  return { at: Math.max(until, now + waitMs), idle };
}

/** For a worker that has the lease alone. Asked again after a lost answer it is answered the same. */
export async function suspendLeasedRun(engine: Engine, lease: RunLease, request: SuspendRun): Promise<boolean> {
  const run = await readRun(engine, lease);
  // Nobody else can have put the run down in this epoch.
  if (run?.status === request.status && run.incarnation === lease.incarnation && run.epoch === lease.epoch) return true;
  if (!holds(run, lease)) throw leaseLost(lease, run);
  return (await suspendRun(engine, run, request)) === null;
}
