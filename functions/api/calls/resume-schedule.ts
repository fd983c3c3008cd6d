import { changeSchedule } from '../../../shared/usecases/change-schedule.ts';
import { defineCall } from '../call.ts';
import { noQuery, scheduleParams } from '../fields.ts';
import { scheduleView, showSchedule } from '../schedule-view.ts';

export const resumeSchedule = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/schedules/{schedule_id}/resume',
  name: 'resumeSchedule',
  summary: 'Resume a paused schedule; what it missed while it was paused is not caught up',
  access: 'user',
  params: scheduleParams,
  query: noQuery,
  answers: { 200: scheduleView },
  errors: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine }, { params }) {
    const id = { namespace: params.namespace, scheduleId: params.schedule_id };
    return { status: 200, body: showSchedule(await changeSchedule(engine, id, { config: {}, enabled: true })) };
  },
});
