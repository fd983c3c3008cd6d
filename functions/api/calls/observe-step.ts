import * as z from 'zod';
import { requireLease } from '../../../shared/usecases/lease.ts';
import { observeStep as observe } from '../../../shared/usecases/observe-step.ts';
import { defineCall } from '../call.ts';
import { lease, noQuery, parseLease, sequence, stepParams } from '../fields.ts';

export const observeStep = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/steps/{step_id}/observe',
  name: 'observeStep',
  summary: 'Record when the workflow saw an outcome that was recorded without saying so',
  access: 'user',
  params: stepParams,
  query: noQuery,
  body: z.strictObject({ lease, order: sequence.describe('The how-manieth outcome the workflow sees.') }),
  answers: { 204: null },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'STEP_NOT_FOUND'],
  async handle({ engine }, { params, body }) {
    const run = await requireLease(engine, parseLease(params, body.lease));
    await observe(engine, run, params.step_id, body.order);
    return { status: 204 };
  },
});
