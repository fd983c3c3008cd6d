import * as z from 'zod';
import { previewSpec as preview } from '../../../shared/usecases/preview-fires.ts';
import { defineCall } from '../call.ts';
import { instant, namespaceParams, noQuery } from '../fields.ts';
import { time } from '../run-view.ts';
import { newSpec, scheduleFields } from '../schedule-fields.ts';

const { cron_expr, intervals, timezone, start_at, end_at } = scheduleFields;

export const previewSpec = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/schedules/preview',
  name: 'previewSpec',
  summary: 'The next times at which a schedule would fire that is not there yet; changes nothing',
  access: 'user',
  params: namespaceParams,
  query: noQuery,
  body: z.strictObject({
    cron_expr,
    intervals,
    timezone,
    start_at,
    end_at,
    count: z.int().min(1).max(100).default(10),
  }),
  answers: { 200: z.strictObject({ fire_times: z.array(instant) }) },
  errors: [],
  async handle({ engine }, { body: { count, ...spec } }) {
    return { status: 200, body: { fire_times: preview(engine, newSpec(spec), count).map(time) } };
  },
});
