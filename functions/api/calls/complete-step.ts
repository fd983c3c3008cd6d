import * as z from 'zod';
import { completeStep as complete } from '../../../shared/usecases/complete-step.ts';
import { defineCall } from '../call.ts';
import { lease, noQuery, parseLease, payload, runParams, sequence, stepId } from '../fields.ts';
import { showStep, stepView } from '../step-view.ts';

export const completeStep = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/steps/complete',
  name: 'completeStep',
  summary: 'Record the result of a step',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({
    lease,
    step_id: stepId,
    output: payload.optional(),
    order: sequence.optional().describe('The how-manieth outcome of which the workflow is told.'),
  }),
  answers: { 200: stepView },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'STEP_NOT_BEGUN', 'STEP_FINISHED', 'PAYLOAD_TOO_LARGE'],
  async handle({ engine }, { params, body }) {
    const output = body.output === undefined ? undefined : JSON.stringify(body.output);
    const step = await complete(engine, parseLease(params, body.lease), body.step_id, output, body.order);
    return { status: 200, body: showStep(step, engine.clock.now()) };
  },
});
