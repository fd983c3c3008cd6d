import * as z from 'zod';
import { listSteps as list } from '../../../shared/usecases/list-steps.ts';
import { defineCall } from '../call.ts';
import { flag, paging, runParams, stepId } from '../fields.ts';
import { showStepPage, stepPage } from '../step-view.ts';

export const listSteps = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/runs/{run_id}/steps',
  name: 'listSteps',
  summary: 'List the steps of a run with their attempts',
  access: 'user',
  params: runParams,
  query: z.strictObject({
    step_id: stepId.optional(),
    payloads: flag.describe('`false` leaves inputs and outputs out, and does not read them.'),
    ...paging(50),
  }),
  answers: { 200: z.strictObject(stepPage) },
  errors: ['RUN_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
  async handle({ engine }, { params, query }) {
    const page = await list(engine, {
      namespace: params.namespace,
      runId: params.run_id,
      stepId: query.step_id,
      payloads: query.payloads,
      pageSize: query.page_size,
      pageToken: query.page_token,
    });
    return { status: 200, body: showStepPage(page, engine.clock.now()) };
  },
});
