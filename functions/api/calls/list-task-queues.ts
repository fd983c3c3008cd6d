import * as z from 'zod';
import { listTaskQueues as list } from '../../../shared/usecases/list-task-queues.ts';
import { defineCall, type ServedType } from '../call.ts';
import { instant, namespaceParams, paging } from '../fields.ts';
import { time, timeOrNull } from '../run-view.ts';

export const taskQueueView = z.strictObject({
  name: z.string(),
  first_seen_at: instant,
  ready: z.int().describe('Messages that wait for a worker.'),
  delayed: z.int(),
  in_flight: z.int(),
  oldest_ready_at: instant.nullable(),
  oldest_age_ms: z.int().nullable(),
  in_process_types: z
    .array(z.string())
    .nullable()
    .describe('Workflow types that workers in the process of the engine serve from it; null in the cloud.'),
});

const typeName = ({ workflowType }: ServedType): string => workflowType;

export const listTaskQueues = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/task-queues',
  name: 'listTaskQueues',
  summary: 'List the task queues of a namespace with their depth',
  access: 'user',
  params: namespaceParams,
  query: z.strictObject(paging(20)),
  answers: {
    200: z.strictObject({
      task_queues: z.array(taskQueueView),
      next_page_token: z.string().nullable(),
    }),
  },
  errors: ['INVALID_PAGE_TOKEN'],
  async handle({ engine, service }, { params: { namespace }, query }) {
    const page = { namespace, pageSize: query.page_size, pageToken: query.page_token };
    const { taskQueues, nextPageToken } = await list(engine, page);
    const now = engine.clock.now();
    const served = service.servedHere?.(namespace) ?? null;
    const task_queues = taskQueues.map((queue) => ({
      name: queue.name,
      first_seen_at: time(queue.firstSeenAt),
      ready: queue.ready,
      delayed: queue.delayed,
      in_flight: queue.inFlight,
      oldest_ready_at: timeOrNull(queue.oldestSentAt),
      oldest_age_ms: queue.oldestSentAt === null ? null : Math.max(0, Math.round(now - queue.oldestSentAt)),
      in_process_types: served === null ? null : served.filter((type) => type.taskQueue === queue.name).map(typeName),
    }));
    return { status: 200, body: { task_queues, next_page_token: nextPageToken } };
  },
});
