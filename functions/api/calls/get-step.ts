import * as z from 'zod';
import { getStep as get } from '../../../shared/usecases/list-steps.ts';
import { defineCall } from '../call.ts';
import { runParams, stepId } from '../fields.ts';
import { showStepDetails, stepDetails } from '../step-view.ts';

export const getStep = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/runs/{run_id}/step',
  name: 'getStep',
  summary: 'Get one step',
  access: 'user',
  params: runParams,
  query: z.strictObject({ step_id: stepId }),
  answers: { 200: stepDetails },
  errors: ['RUN_NOT_FOUND', 'STEP_NOT_FOUND'],
  async handle({ engine }, { params, query }) {
    const step = await get(engine, { namespace: params.namespace, runId: params.run_id }, query.step_id);
    return { status: 200, body: showStepDetails(step, engine.clock.now()) };
  },
});
