import * as z from 'zod';
import { requireLease } from '../../../shared/usecases/lease.ts';
import { observeStep as observe } from '../../../shared/usecases/observe-step.ts';
import { defineCall } from '../call.ts';
import { lease, noQuery, parseLease, place, placeOf, runParams, sequence, stepId } from '../fields.ts';

export const observeStep = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/steps/observe',
  name: 'observeStep',
  summary: 'Record that the workflow is told of an outcome which was recorded without saying so',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({
    lease,
    step_id: stepId,
    order: sequence.describe('The how-manieth outcome of which it is told.'),
    ...place,
  }),
  answers: { 204: null },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'STEP_NOT_FOUND'],
  async handle({ engine }, { params, body }) {
    const run = await requireLease(engine, parseLease(params, body.lease));
    await observe(engine, run, { ...placeOf(body), stepId: body.step_id, order: body.order });
    return { status: 204 };
  },
});
