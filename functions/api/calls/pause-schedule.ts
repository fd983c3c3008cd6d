import * as z from 'zod';
import { changeSchedule } from '../../../shared/usecases/change-schedule.ts';
import { defineCall } from '../call.ts';
import { noQuery, reason, scheduleParams } from '../fields.ts';
import { scheduleView, showSchedule } from '../schedule-view.ts';

export const pauseSchedule = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/schedules/{schedule_id}/pause',
  name: 'pauseSchedule',
  summary: 'Pause a schedule: nothing fires by itself once this has answered',
  access: 'user',
  params: scheduleParams,
  query: noQuery,
  body: z.strictObject({ reason: reason.optional() }).default({}),
  answers: { 200: scheduleView },
  errors: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine }, { params, body }) {
    const id = { namespace: params.namespace, scheduleId: params.schedule_id };
    const pauseReason = body.reason ?? null;
    const schedule = await changeSchedule(engine, id, { config: {}, enabled: false, pauseReason });
    return { status: 200, body: showSchedule(schedule) };
  },
});
