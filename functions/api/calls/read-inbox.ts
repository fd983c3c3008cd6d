import * as z from 'zod';
import { requireLease } from '../../../shared/usecases/lease.ts';
import { type Inbox, readInbox as read } from '../../../shared/usecases/read-inbox.ts';
import { defineCall } from '../call.ts';
import { instant, lease, noQuery, parseLease, runParams } from '../fields.ts';
import { time } from '../run-view.ts';

const arrival = z.discriminatedUnion('what', [
  z.strictObject({
    what: z.literal('child-ended'),
    step_id: z.string(),
    child_run_id: z.string(),
    status: z.string(),
  }),
  z.strictObject({
    what: z.literal('cancel'),
    reason: z.string().nullable(),
    until: instant.describe('When the grace ends.'),
  }),
]);

export const readInbox = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/inbox',
  name: 'readInbox',
  summary: 'Read what has come to a run from outside: ends of its children, a cancellation with a grace',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({ lease }),
  answers: {
    200: z.strictObject({
      count: z.int().describe('For suspend and heartbeat: how far this worker has read.'),
      arrivals: z.array(arrival),
    }),
  },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST'],
  async handle({ engine }, { params, body }) {
    const run = await requireLease(engine, parseLease(params, body.lease));
    const { count, arrivals } = await read(engine, run, true);
    return { status: 200, body: { count, arrivals: arrivals.map(showArrival) } };
  },
});

function showArrival(arrived: Inbox['arrivals'][number]): z.output<typeof arrival> {
  if (arrived.what === 'cancel') return { what: 'cancel', reason: arrived.reason, until: time(arrived.until) };
  const { what, stepId, childRunId, status } = arrived;
  return { what, step_id: stepId, child_run_id: childRunId, status };
}
