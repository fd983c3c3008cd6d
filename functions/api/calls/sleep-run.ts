import * as z from 'zod';
import { RUN_STATUSES } from '../../../shared/model/run.ts';
import { sleepRun as sleep } from '../../../shared/usecases/sleep-run.ts';
import { defineCall } from '../call.ts';
import { futureMs, instant, lease, lengthMs, noQuery, parseLease, runParams, stepId } from '../fields.ts';
import { time } from '../run-view.ts';

export const sleepRun = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/sleep',
  name: 'sleepRun',
  summary: 'Put a run to sleep; its worker holds nothing meanwhile',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z
    .strictObject({ lease, step_id: stepId, duration_ms: lengthMs.optional(), until: instant.optional() })
    .refine((given) => (given.duration_ms === undefined) !== (given.until === undefined), {
      error: 'give either duration_ms or until',
    }),
  answers: {
    200: z.strictObject({
      step_id: z.string(),
      wake_at: instant.describe('As first recorded: asking again does not move it.'),
      elapsed: z.boolean().describe('The sleep is over: the worker keeps the run and goes on.'),
      status: z.enum(RUN_STATUSES),
    }),
  },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'STEP_KIND_CONFLICT'],
  async handle({ engine }, { params, body }) {
    const now = engine.clock.now();
    const until = body.until === undefined ? now + (body.duration_ms ?? 0) : futureMs(body.until, now);
    const { run, wakeAt, elapsed } = await sleep(engine, parseLease(params, body.lease), {
      stepId: body.step_id,
      until,
    });
    return { status: 200, body: { step_id: body.step_id, wake_at: time(wakeAt), elapsed, status: run.status } };
  },
});
