import * as z from 'zod';
import { WORKER_STATUSES, type Worker, workerHealth } from '../../shared/model/worker.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { instant } from './fields.ts';
import { time, timeOrNull } from './run-view.ts';

export const workerView = z.strictObject({
  worker_id: z.string(),
  namespace: z.string(),
  name: z.string().nullable(),
  hostname: z.string().nullable(),
  pid: z.int().nullable(),
  version: z.string().nullable(),
  task_queue: z.string(),
  workflow_types: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  max_concurrent: z.int(),
  queue_concurrency_limit: z.int().nullable(),
  workflow_type_concurrency: z.record(z.string(), z.int()),
  status: z.enum(WORKER_STATUSES),
  health: z.strictObject({ status: z.enum(['healthy', 'degraded', 'unhealthy']), reasons: z.array(z.string()) }),
  registered_at: instant,
  last_heartbeat_at: instant,
  deregistered_at: instant.nullable(),
  active_count: z.int(),
  total_completed: z.int(),
  total_failed: z.int(),
  run_ids: z.array(z.string()).describe('The runs it holds, as of its last heartbeat.'),
});

export function showWorker(engine: Engine, worker: Worker) {
  const { heartbeatMs, workerStaleMs } = engine.config;
  const { health, reasons } = workerHealth(worker, engine.clock.now(), { heartbeatMs, staleMs: workerStaleMs });
  return {
    worker_id: worker.workerId,
    namespace: worker.namespace,
    name: worker.name,
    hostname: worker.hostname,
    pid: worker.pid,
    version: worker.version,
    task_queue: worker.taskQueue,
    workflow_types: [...worker.workflowTypes],
    labels: { ...worker.labels },
    max_concurrent: worker.maxConcurrent,
    queue_concurrency_limit: worker.queueConcurrencyLimit,
    workflow_type_concurrency: { ...worker.workflowTypeConcurrency },
    status: worker.status,
    health: { status: health, reasons: [...reasons] },
    registered_at: time(worker.registeredAt),
    last_heartbeat_at: time(worker.heartbeatAt),
    deregistered_at: timeOrNull(worker.deregisteredAt),
    active_count: worker.activeCount,
    total_completed: worker.completed,
    total_failed: worker.failed,
    run_ids: [...worker.runs],
  } satisfies z.output<typeof workerView>;
}
