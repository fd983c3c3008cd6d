import { z } from 'zod';
import { cancelRun as cancel } from '../../../shared/usecases/cancel-run.ts';
import { defineCall } from '../call.ts';
import { noQuery, reason, runParams } from '../fields.ts';
import { runSummary, summarizeRun } from '../run-view.ts';

export const cancelRun = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/cancel',
  name: 'cancelRun',
  summary: 'Cancel a PENDING, RUNNING or SLEEPING run, and its children',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({ reason: reason.optional() }).default({}),
  answers: { 200: runSummary },
  errors: ['RUN_NOT_FOUND', 'RUN_FINISHED'],
  async handle({ engine }, { params, body }) {
    const run = await cancel(engine, { namespace: params.namespace, runId: params.run_id }, body.reason ?? null);
    return { status: 200, body: summarizeRun(run) };
  },
});
