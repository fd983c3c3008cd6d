import * as z from 'zod';
import { classOf, RUN_CLASSES, RUN_STATUSES } from '../../../shared/model/run.ts';
import { listRuns as list } from '../../../shared/usecases/list-runs.ts';
import { defineCall } from '../call.ts';
import {
  externalId,
  flag,
  instant,
  namespaceParams,
  paging,
  shortText,
  taskQueue,
  toMs,
  version,
  workflowType,
} from '../fields.ts';
import { runSummary, summarizeRun } from '../run-view.ts';

export const listRuns = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/runs',
  name: 'listRuns',
  summary: 'List runs, newest first',
  access: 'user',
  params: namespaceParams,
  query: z
    .strictObject({
      class: z.enum(RUN_CLASSES).optional(),
      status: z.enum(RUN_STATUSES).optional(),
      workflow_type: workflowType.optional(),
      version: version.optional(),
      task_queue: taskQueue.optional(),
      schedule_id: shortText.optional(),
      external_id: externalId.optional(),
      created_after: instant.optional().describe('Inclusive.'),
      created_before: instant.optional().describe('Exclusive.'),
      include_total_count: flag,
      ...paging(20),
    })
    .refine(
      (query) => query.class === undefined || query.status === undefined || classOf(query.status) === query.class,
      {
        error: 'status and class contradict each other',
      },
    ),
  answers: {
    200: z.strictObject({
      runs: z.array(runSummary),
      next_page_token: z.string().nullable().describe('A short page may still have a next one.'),
      total_count: z.int().optional(),
      total_count_capped: z.boolean().optional().describe('There are more than were counted.'),
    }),
  },
  errors: ['INVALID_PAGE_TOKEN'],
  async handle({ engine }, { params: { namespace }, query }) {
    const { runs, nextPageToken, total } = await list(engine, {
      namespace,
      class: query.class,
      status: query.status,
      workflowType: query.workflow_type,
      version: query.version,
      taskQueue: query.task_queue,
      scheduleId: query.schedule_id,
      externalId: query.external_id,
      createdFrom: query.created_after === undefined ? undefined : toMs(query.created_after),
      createdBefore: query.created_before === undefined ? undefined : toMs(query.created_before),
      pageSize: query.page_size,
      pageToken: query.page_token,
      includeTotalCount: query.include_total_count,
    });
    return {
      status: 200,
      body: {
        runs: runs.map((run) => summarizeRun(run)),
        next_page_token: nextPageToken,
        ...(total === null ? {} : { total_count: total.count, total_count_capped: total.capped }),
      },
    };
  },
});
