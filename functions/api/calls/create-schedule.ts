import * as z from 'zod';
import { createSchedule as create } from '../../../shared/usecases/create-schedule.ts';
import { defineCall } from '../call.ts';
import { namespaceParams, noQuery, scheduleId, shortText } from '../fields.ts';
import { newConfig, scheduleFields } from '../schedule-fields.ts';
import { scheduleView, showSchedule } from '../schedule-view.ts';

export const createSchedule = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/schedules',
  name: 'createSchedule',
  summary: 'Create a schedule that starts runs at given times',
  access: 'user',
  params: namespaceParams,
  query: noQuery,
  body: z.strictObject({
    schedule_id: scheduleId.optional().describe('A UUID if it is not given.'),
    request_id: shortText
      .optional()
      .describe('Chosen for this one call, so that it can be sent again without being refused.'),
    ...scheduleFields,
  }),
  answers: { 201: scheduleView, 200: scheduleView },
  errors: ['PAYLOAD_TOO_LARGE', 'TASK_QUEUE_NOT_FOUND', 'SCHEDULE_EXISTS'],
  async handle({ engine }, { params: { namespace }, body }) {
    const { schedule, alreadyExists } = await create(engine, {
      namespace,
      scheduleId: body.schedule_id,
      requestId: body.request_id,
      config: newConfig(body),
      input: body.input === undefined ? undefined : JSON.stringify(body.input),
      enabled: body.enabled,
      pauseReason: body.pause_reason,
    });
    return { status: alreadyExists ? 200 : 201, body: showSchedule(schedule) };
  },
});
