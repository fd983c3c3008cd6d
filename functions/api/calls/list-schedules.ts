import * as z from 'zod';
import { SCHEDULE_STATUSES } from '../../../shared/model/schedule.ts';
import { listSchedules as list } from '../../../shared/usecases/list-schedules.ts';
import { defineCall } from '../call.ts';
import { namespaceParams, paging, taskQueue, workflowType } from '../fields.ts';
import { scheduleView, showSchedule } from '../schedule-view.ts';

export const listSchedules = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/schedules',
  name: 'listSchedules',
  summary: 'List schedules, newest first',
  access: 'user',
  params: namespaceParams,
  query: z.strictObject({
    task_queue: taskQueue.optional(),
    workflow_type: workflowType.optional(),
    status: z.enum(SCHEDULE_STATUSES).optional(),
    ...paging(20),
  }),
  answers: {
    200: z.strictObject({
      schedules: z.array(scheduleView),
      next_page_token: z.string().nullable().describe('A short page may still have a next one.'),
    }),
  },
  errors: ['INVALID_PAGE_TOKEN'],
  async handle({ engine }, { params: { namespace }, query }) {
    const { schedules, nextPageToken } = await list(engine, {
      namespace,
      taskQueue: query.task_queue,
      workflowType: query.workflow_type,
      status: query.status,
      pageSize: query.page_size,
      pageToken: query.page_token,
    });
    return { status: 200, body: { schedules: schedules.map(showSchedule), next_page_token: nextPageToken } };
  },
});
