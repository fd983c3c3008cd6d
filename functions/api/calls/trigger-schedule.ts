import * as z from 'zod';
import { triggerSchedule as trigger } from '../../../shared/usecases/trigger-schedule.ts';
import { defineCall } from '../call.ts';
import { instant, noQuery, scheduleParams } from '../fields.ts';
import { time } from '../run-view.ts';
import { overlapPolicy } from '../schedule-fields.ts';

export const triggerSchedule = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/schedules/{schedule_id}/trigger',
  name: 'triggerSchedule',
  summary: 'Start a run of a schedule now, also of a paused one',
  access: 'user',
  params: scheduleParams,
  query: noQuery,
  body: z
    .strictObject({
      request_id: z
        .string()
        .regex(/^[\w.-]{1,100}$/)
        .optional()
        .describe('Chosen for this one call, so that it can be sent again without starting a second run.'),
      overlap_policy: overlapPolicy.optional(),
    })
    .default({}),
  answers: {
    200: z.strictObject({
      outcome: z.enum(['started', 'buffered', 'skipped']),
      run_id: z.string().nullable().describe('Of a buffered one: which it will be.'),
      fire_at: instant,
    }),
  },
  errors: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine }, { params, body }) {
    const id = { namespace: params.namespace, scheduleId: params.schedule_id };
    const { outcome, fire, runId } = await trigger(engine, id, {
      requestId: body.request_id,
      overlap: body.overlap_policy,
    });
    return { status: 200, body: { outcome, run_id: runId, fire_at: time(fire.at) } };
  },
});
