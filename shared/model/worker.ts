export const WORKER_STATUSES = ['ONLINE', 'DRAINING', 'OFFLINE'] as const;
export type WorkerStatus = (typeof WORKER_STATUSES)[number];

export interface Worker {
  readonly namespace: string;
  readonly workerId: string;
  readonly name: string | null;
  readonly hostname: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly taskQueue: string;
  readonly workflowTypes: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly maxConcurrent: number;
  readonly queueConcurrencyLimit: number | null;
  readonly workflowTypeConcurrency: Readonly<Record<string, number>>;
  readonly status: WorkerStatus;
  readonly registeredAt: number;
  readonly heartbeatAt: number;
  /** The session's end: until then the runs it holds are its own. */
  readonly expiresAt: number;
  readonly deregisteredAt: number | null;
  readonly runs: readonly string[];
  readonly activeCount: number;
  readonly completed: number;
  readonly failed: number;
}

export type WorkerHealth = 'healthy' | 'degraded' | 'unhealthy';

/** By heartbeat age: fresh, late (more than one and a half intervals), gone; a draining worker is degraded. */
export function workerHealth(
  worker: Worker,
  now: number,
  intervals: { readonly heartbeatMs: number; readonly staleMs: number },
): { readonly health: WorkerHealth; readonly reasons: readonly string[] } {
  const age = now - worker.heartbeatAt;
  if (worker.status === 'OFFLINE') return { health: 'unhealthy', reasons: ['the worker is offline'] };
  if (age > intervals.staleMs)
    return { health: 'unhealthy', reasons: [`no heartbeat for ${Math.round(age / 1000)} s`] };
  const reasons: string[] = [];
  if (age > intervals.heartbeatMs * 1.5) reasons.push(`the last heartbeat is ${Math.round(age / 1000)} s old`);
  if (worker.status === 'DRAINING') reasons.push('the worker is draining');
  return { health: reasons.length > 0 ? 'degraded' : 'healthy', reasons };
}
