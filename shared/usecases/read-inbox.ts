import type { RunningRun } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { type Arrival, readArrivals } from '../store/inbox.ts';
import { leaseOf, requireLease } from './lease.ts';

export interface Inbox {
  /** As of the head read before the arrivals: what comes later makes a suspension fail. */
  readonly count: number;
  readonly arrivals: readonly Arrival[];
}

/** Nothing is read for a run that never got anything. */
export async function readInbox(engine: Engine, held: RunningRun, isFresh: boolean): Promise<Inbox> {
  const run = isFresh ? held : await requireLease(engine, leaseOf(held));
  if (run.inbox === 0) return { count: 0, arrivals: [] };
  return { count: run.inbox, arrivals: await readArrivals(engine, run) };
}
