import * as z from 'zod';
import { backfillSchedule as backfill } from '../../../shared/usecases/backfill-schedule.ts';
import { defineCall } from '../call.ts';
import { instant, noQuery, scheduleParams, toMs } from '../fields.ts';
import { overlapPolicy } from '../schedule-fields.ts';
import { scheduleView, showSchedule } from '../schedule-view.ts';

export const backfillSchedule = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/schedules/{schedule_id}/backfill',
  name: 'backfillSchedule',
  summary: 'Start the runs of a range of the past, those that there are already excepted',
  access: 'user',
  params: scheduleParams,
  query: noQuery,
  body: z.strictObject({
    from: instant.describe('Inclusive.'),
    to: instant.describe('Inclusive; not in the future.'),
    overlap_policy: overlapPolicy
      .optional()
      .describe('`buffer_all` if it is not given, or `allow_all` where that is the policy of the schedule.'),
  }),
  answers: {
    202: z.strictObject({ fires: z.int().describe('Times in the range.'), schedule: scheduleView }),
  },
  errors: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine }, { params, body }) {
    const id = { namespace: params.namespace, scheduleId: params.schedule_id };
    const { schedule, fires } = await backfill(engine, id, {
      from: toMs(body.from),
      to: toMs(body.to),
      overlap: body.overlap_policy,
    });
    return { status: 202, body: { fires, schedule: showSchedule(schedule) } };
  },
});
