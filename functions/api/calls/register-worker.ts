import * as z from 'zod';
import { registerWorker as register } from '../../../shared/usecases/register-worker.ts';
import { byName } from '../by-name-field.ts';
import { defineCall } from '../call.ts';
import { namespaceParams, noQuery, serverTime, shortText, taskQueue, workflowType } from '../fields.ts';
import { time } from '../run-view.ts';
import { showWorker, workerView } from '../worker-view.ts';

const MAX_LIMIT = 10_000;
const limit = z.int().min(1).max(MAX_LIMIT);
const labelName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/);

export const registerWorker = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/workers',
  name: 'registerWorker',
  summary: 'Register a worker; the same host and pid replaces its former registration',
  access: 'user',
  params: namespaceParams,
  query: noQuery,
  body: z.strictObject({
    name: shortText.optional(),
    hostname: shortText.optional(),
    pid: z.int().min(0).max(0xffff_ffff).optional(),
    version: shortText.optional(),
    task_queue: taskQueue.default('default'),
    workflow_types: z.array(workflowType).min(1).max(100),
    labels: byName(labelName, z.string().max(256), 50).default({}),
    max_concurrent: limit.default(10),
    queue_concurrency_limit: limit.optional(),
    workflow_type_concurrency: byName(workflowType, limit, 100).default({}),
  }),
  answers: {
    201: z.strictObject({
      worker_id: z.string(),
      heartbeat_interval_secs: z.number(),
      stale_after_secs: z.number().describe('Without a heartbeat for this long the worker is OFFLINE.'),
      lease_secs: z.number().describe('A run must be named in a heartbeat within this time of its poll.'),
      worker: workerView,
      server_time: serverTime,
    }),
  },
  errors: ['TASK_QUEUE_NOT_FOUND'],
  async handle({ engine }, { params: { namespace }, body }) {
    const worker = await register(engine, {
      namespace,
      name: body.name ?? null,
      hostname: body.hostname ?? null,
      pid: body.pid ?? null,
      version: body.version ?? null,
      taskQueue: body.task_queue,
      workflowTypes: [...new Set(body.workflow_types)],
      labels: body.labels,
      maxConcurrent: body.max_concurrent,
      queueConcurrencyLimit: body.queue_concurrency_limit ?? null,
      workflowTypeConcurrency: body.workflow_type_concurrency,
    });
    const { heartbeatMs, workerStaleMs, leaseMs } = engine.config;
    return {
      status: 201,
      body: {
        worker_id: worker.workerId,
        heartbeat_interval_secs: heartbeatMs / 1000,
        stale_after_secs: workerStaleMs / 1000,
        lease_secs: leaseMs / 1000,
        worker: showWorker(engine, worker),
        server_time: time(engine.clock.now()),
      },
    };
  },
});
