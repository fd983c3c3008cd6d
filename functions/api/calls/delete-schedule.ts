import { deleteSchedule as remove } from '../../../shared/usecases/delete-schedule.ts';
import { defineCall } from '../call.ts';
import { noQuery, scheduleParams } from '../fields.ts';

export const deleteSchedule = defineCall({
  method: 'DELETE',
  path: '/v1/{namespace}/schedules/{schedule_id}',
  name: 'deleteSchedule',
  summary: 'Delete a schedule; the runs it started stay',
  access: 'user',
  params: scheduleParams,
  query: noQuery,
  answers: { 204: null },
  errors: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine }, { params }) {
    await remove(engine, { namespace: params.namespace, scheduleId: params.schedule_id });
    return { status: 204 };
  },
});
