import * as z from 'zod';
import { finishCancel as finish } from '../../../shared/usecases/finish-cancel.ts';
import { defineCall } from '../call.ts';
import { lease, noQuery, parseLease, reason, runParams } from '../fields.ts';
import { runSummary, summarizeRun } from '../run-view.ts';

export const finishCancel = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/cancelled',
  name: 'finishCancel',
  summary: 'End a run whose cancellation its inbox told of, once the workflow has cleaned up',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({ lease, reason: reason.optional() }),
  answers: { 200: runSummary },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'CANCEL_NOT_REQUESTED'],
  async handle({ engine }, { params, body }) {
    const run = await finish(engine, parseLease(params, body.lease), body.reason ?? null);
    return { status: 200, body: summarizeRun(run) };
  },
});
