import * as z from 'zod';
import { WORKER_STATUSES } from '../../../shared/model/worker.ts';
import { listWorkers as list } from '../../../shared/usecases/list-workers.ts';
import { defineCall } from '../call.ts';
import { flag, namespaceParams, paging, taskQueue } from '../fields.ts';
import { showWorker, workerView } from '../worker-view.ts';

export const listWorkers = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/workers',
  name: 'listWorkers',
  summary: 'List workers in the order of their registration',
  access: 'user',
  params: namespaceParams,
  query: z.strictObject({
    task_queue: taskQueue.optional(),
    status: z.enum(WORKER_STATUSES).optional(),
    include_total_count: flag,
    ...paging(20),
  }),
  answers: {
    200: z.strictObject({
      workers: z.array(workerView),
      next_page_token: z.string().nullable(),
      total_count: z.int().optional(),
      total_count_capped: z.boolean().optional(),
    }),
  },
  errors: ['INVALID_PAGE_TOKEN'],
  async handle({ engine }, { params: { namespace }, query }) {
    const { workers, nextPageToken, total } = await list(engine, {
      namespace,
      taskQueue: query.task_queue,
      status: query.status,
      pageSize: query.page_size,
      pageToken: query.page_token,
      includeTotalCount: query.include_total_count,
    });
    return {
      status: 200,
      body: {
        workers: workers.map((worker) => showWorker(engine, worker)),
        next_page_token: nextPageToken,
        ...(total === undefined ? {} : { total_count: total.count, total_count_capped: total.capped }),
      },
    };
  },
});
