import * as z from 'zod';
import { cancelRun as cancel } from '../../../shared/usecases/cancel-run.ts';
import { requestCancel } from '../../../shared/usecases/request-cancel.ts';
import { defineCall } from '../call.ts';
import { lengthMs, noQuery, reason, runParams } from '../fields.ts';
import { runSummary, summarizeRun } from '../run-view.ts';

export const cancelRun = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/cancel',
  name: 'cancelRun',
  summary: 'Cancel a PENDING, RUNNING or SLEEPING run, and its children',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z
    .strictObject({
      reason: reason.optional(),
      grace_ms: lengthMs
        .optional()
        .describe('The workflow is told and may clean up for this long; without it the run ends at once.'),
    })
    .default({}),
  answers: { 200: runSummary },
  errors: ['RUN_NOT_FOUND', 'RUN_FINISHED'],
  async handle({ engine }, { params, body }) {
    const id = { namespace: params.namespace, runId: params.run_id };
    const cancelReason = body.reason ?? null;
    const run =
      body.grace_ms === undefined
        ? await cancel(engine, id, cancelReason)
        : await requestCancel(engine, id, { reason: cancelReason, graceMs: body.grace_ms });
    return { status: 200, body: summarizeRun(run) };
  },
});
