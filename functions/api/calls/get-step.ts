import { getStep as get } from '../../../shared/usecases/list-steps.ts';
import { defineCall } from '../call.ts';
import { noQuery, stepParams } from '../fields.ts';
import { showStepDetails, stepDetails } from '../step-view.ts';

export const getStep = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/runs/{run_id}/steps/{step_id}',
  name: 'getStep',
  summary: 'Get one step',
  access: 'user',
  params: stepParams,
  query: noQuery,
  answers: { 200: stepDetails },
  errors: ['RUN_NOT_FOUND', 'STEP_NOT_FOUND'],
  async handle({ engine }, { params }) {
    const step = await get(engine, { namespace: params.namespace, runId: params.run_id }, params.step_id);
    return { status: 200, body: showStepDetails(step, engine.clock.now()) };
  },
});
