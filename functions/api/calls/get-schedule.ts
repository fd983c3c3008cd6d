import { getSchedule as get } from '../../../shared/usecases/get-schedule.ts';
import { defineCall } from '../call.ts';
import { noQuery, scheduleParams } from '../fields.ts';
import { scheduleWithInput, showScheduleWithInput } from '../schedule-view.ts';

export const getSchedule = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/schedules/{schedule_id}',
  name: 'getSchedule',
  summary: 'Get a schedule',
  access: 'user',
  params: scheduleParams,
  query: noQuery,
  answers: { 200: scheduleWithInput },
  errors: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine }, { params }) {
    const { schedule, input } = await get(engine, { namespace: params.namespace, scheduleId: params.schedule_id });
    return { status: 200, body: showScheduleWithInput(schedule, input) };
  },
});
