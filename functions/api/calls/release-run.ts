import * as z from 'zod';
import { releaseLeasedRun } from '../../../shared/usecases/release-run.ts';
import { defineCall } from '../call.ts';
import { lease, lengthMs, noQuery, parseLease, runParams } from '../fields.ts';

export const releaseRun = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/release',
  name: 'releaseRun',
  summary: 'Give a run up unfinished, for another worker to go on with',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({ lease, delay_ms: lengthMs.optional().describe('Nobody gets it before.') }),
  answers: { 204: null },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST'],
  async handle({ engine }, { params, body }) {
    await releaseLeasedRun(engine, parseLease(params, body.lease), body.delay_ms);
    return { status: 204 };
  },
});
