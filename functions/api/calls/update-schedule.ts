import * as z from 'zod';
import { changeSchedule } from '../../../shared/usecases/change-schedule.ts';
import { defineCall } from '../call.ts';
import { noQuery, scheduleParams, sequence } from '../fields.ts';
import { configFromWire, scheduleChanges } from '../schedule-fields.ts';
import { scheduleView, showSchedule } from '../schedule-view.ts';

export const updateSchedule = defineCall({
  method: 'PATCH',
  path: '/v1/{namespace}/schedules/{schedule_id}',
  name: 'updateSchedule',
  summary: 'Change parts of a schedule; what is not given stays',
  access: 'user',
  params: scheduleParams,
  query: noQuery,
  body: z.strictObject({
    ...scheduleChanges,
    revision: sequence.optional().describe('Refused if the schedule is at another one by now.'),
  }),
  answers: { 200: scheduleView },
  errors: ['SCHEDULE_NOT_FOUND', 'SCHEDULE_CHANGED', 'PAYLOAD_TOO_LARGE', 'TASK_QUEUE_NOT_FOUND'],
  async handle({ engine }, { params, body }) {
    const id = { namespace: params.namespace, scheduleId: params.schedule_id };
    const schedule = await changeSchedule(engine, id, {
      config: configFromWire(body),
      input: body.input === undefined || body.input === null ? body.input : JSON.stringify(body.input),
      enabled: body.enabled,
      pauseReason: body.pause_reason,
      revision: body.revision,
    });
    return { status: 200, body: showSchedule(schedule) };
  },
});
