import * as z from 'zod';
import { failRun as fail } from '../../../shared/usecases/fail-run.ts';
import { defineCall } from '../call.ts';
import { errorDetail, errorFromWire } from '../error-field.ts';
import { instant, lease, noQuery, parseLease, runParams, stepId } from '../fields.ts';
import { runSummary, summarizeRun, timeOrNull } from '../run-view.ts';

export const failRun = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/fail',
  name: 'failRun',
  summary: 'Report that the workflow function failed; it is tried again by the retry policy of the run',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({
    lease,
    error: errorDetail,
    failed_step_id: stepId.optional().describe('The step whose final failure this is: then the run is not retried.'),
  }),
  answers: {
    200: z.strictObject({ scheduled_retry: z.boolean(), next_retry_at: instant.nullable(), run: runSummary }),
  },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'STEP_NOT_FOUND'],
  async handle({ engine }, { params, body }) {
    const { run, retryAt } = await fail(engine, parseLease(params, body.lease), {
      error: errorFromWire(body.error),
      retryAfterMs: body.error.retry_after_ms,
      failedStepId: body.failed_step_id,
    });
    const next_retry_at = timeOrNull(retryAt);
    return { status: 200, body: { scheduled_retry: retryAt !== null, next_retry_at, run: summarizeRun(run) } };
  },
});
