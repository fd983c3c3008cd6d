import * as z from 'zod';
import { suspendLeasedRun } from '../../../shared/usecases/suspend-run.ts';
import { defineCall } from '../call.ts';
import { futureMs, instant, lease, noQuery, parseLease, runParams, sequence } from '../fields.ts';

export const suspendRun = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/suspend',
  name: 'suspendRun',
  summary: 'Put a run down until a time, or until something arrives; its worker holds nothing meanwhile',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({
    lease,
    until: instant,
    status: z.enum(['SLEEPING', 'PENDING']).describe('PENDING waits for the next attempt of a step.'),
    arrivals: sequence.describe('The count that the inbox answered last, or the task.'),
  }),
  answers: {
    200: z.strictObject({ suspended: z.boolean().describe('False: something has arrived, and the worker goes on.') }),
  },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST'],
  async handle({ engine }, { params, body }) {
    const suspended = await suspendLeasedRun(engine, parseLease(params, body.lease), {
      until: futureMs(body.until, engine.clock.now()),
      status: body.status,
      inboxRead: body.arrivals,
    });
    return { status: 200, body: { suspended } };
  },
});
