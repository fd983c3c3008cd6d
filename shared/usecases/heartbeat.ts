import type { RunStatus } from '../model/run.ts';
import { isDraining } from '../store/drain.ts';
import type { Engine } from '../store/engine.ts';
import { headKey } from '../store/keys.ts';
import { readHeads } from '../store/run-head.ts';
import { beatWorker } from '../store/workers.ts';
import { getWorker } from './get-worker.ts';
import { holds, type RunLease } from './lease.ts';

export interface HeldLease extends RunLease {
  /** How many of the run's arrivals its worker has read. */
  readonly inboxRead?: number | undefined;
}

export interface HeartbeatRequest {
  readonly namespace: string;
  readonly workerId: string;
  readonly leases: readonly HeldLease[];
  readonly activeCount?: number | undefined;
  readonly completedDelta?: number | undefined;
  readonly failedDelta?: number | undefined;
}

export interface HeartbeatAnswer {
  readonly accepted: boolean;
  readonly shouldDrain: boolean;
  /** Runs among those named that are no longer this worker's; null for one that is gone. */
  readonly lost: readonly { readonly runId: string; readonly status: RunStatus | null }[];
  /** Runs with arrivals that their worker has not read. */
  readonly arrived: readonly string[];
}

/** One write keeps every run alive that the worker names and really holds. */
export async function heartbeat(engine: Engine, request: HeartbeatRequest): Promise<HeartbeatAnswer> {
  engine.telemetry.count('worker_heartbeats');
  const held: string[] = [];
  const arrived: string[] = [];
  const lost: { runId: string; status: RunStatus | null }[] = [];
  const [runs, draining] = await Promise.all([readHeads(engine, distinctHeads(request.leases)), isDraining(engine)]);
  for (const lease of request.leases) {
    const run = runs.get(headKey(lease).pk) ?? null;
    // An eventually consistent read may show the head from before the claim: that is no loss.
    const older = run !== null && run.incarnation === lease.incarnation && run.epoch < lease.epoch;
    if (holds(run, lease) && run.inbox > (lease.inboxRead ?? run.inbox)) arrived.push(lease.runId);
    if (holds(run, lease) || older) held.push(lease.runId);
    else lost.push({ runId: lease.runId, status: run?.incarnation === lease.incarnation ? run.status : null });
  }
  const worker = await beatWorker(engine, request.namespace, request.workerId, {
    runs: [...new Set(held)],
    activeCount: request.activeCount ?? held.length,
    completedDelta: request.completedDelta ?? 0,
    failedDelta: request.failedDelta ?? 0,
  });
  if (worker === null) await getWorker(engine, request.namespace, request.workerId);
  return { accepted: worker !== null, shouldDrain: draining || worker?.status !== 'ONLINE', lost, arrived };
}

const distinctHeads = (leases: readonly RunLease[]) => [
  ...new Map(leases.map((lease) => [lease.runId, headKey(lease)])).values(),
];
