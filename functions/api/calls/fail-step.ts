import * as z from 'zod';
import { policyFromWire } from '../../../shared/model/wire-policy.ts';
import { failStep as fail } from '../../../shared/usecases/fail-step.ts';
import { defineCall } from '../call.ts';
import { errorDetail, errorFromWire } from '../error-field.ts';
import { instant, lease, noQuery, parseLease, runParams, sequence, stepId } from '../fields.ts';
import { retryPolicy } from '../retry-policy-field.ts';
import { timeOrNull } from '../run-view.ts';
import { showStep, stepView } from '../step-view.ts';

export const failStep = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/steps/fail',
  name: 'failStep',
  summary: 'Record the failure of an attempt, and learn whether there will be another',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({
    lease,
    step_id: stepId,
    error: errorDetail,
    keep_lease: z.boolean().optional().describe('Wait for the retry in the worker instead of putting the run back.'),
    retry_policy: retryPolicy.optional().describe('Wins over the one that begin was given.'),
    order: sequence
      .optional()
      .describe('The how-manieth outcome of which the workflow is told; only if there is no further attempt.'),
  }),
  answers: {
    200: z.strictObject({
      scheduled_retry: z.boolean(),
      next_retry_at: instant.nullable(),
      step: stepView,
    }),
  },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'STEP_NOT_BEGUN', 'STEP_FINISHED'],
  async handle({ engine }, { params, body }) {
    const { step, retryAt } = await fail(engine, parseLease(params, body.lease), {
      stepId: body.step_id,
      error: errorFromWire(body.error),
      retryAfterMs: body.error.retry_after_ms,
      keepLease: body.keep_lease,
      retryPolicy: body.retry_policy && policyFromWire(body.retry_policy),
      order: body.order,
    });
    return {
      status: 200,
      body: {
        scheduled_retry: retryAt !== null,
        next_retry_at: timeOrNull(retryAt),
        step: showStep(step, engine.clock.now()),
      },
    };
  },
});
