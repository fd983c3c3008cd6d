import * as z from 'zod';
import { previewFires } from '../../../shared/usecases/preview-fires.ts';
import { defineCall } from '../call.ts';
import { count, instant, scheduleParams, toMs } from '../fields.ts';
import { time } from '../run-view.ts';

export const previewSchedule = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/schedules/{schedule_id}/next',
  name: 'previewSchedule',
  summary: 'The next times at which a schedule fires, if it is not paused',
  access: 'user',
  params: scheduleParams,
  query: z.strictObject({
    count: count(100, 10),
    after: instant.optional().describe('Exclusive; now if it is not given.'),
  }),
  answers: { 200: z.strictObject({ fire_times: z.array(instant) }) },
  errors: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine }, { params, query }) {
    const id = { namespace: params.namespace, scheduleId: params.schedule_id };
    const after = query.after === undefined ? undefined : toMs(query.after);
    const times = await previewFires(engine, id, { count: query.count, after });
    return { status: 200, body: { fire_times: times.map(time) } };
  },
});
