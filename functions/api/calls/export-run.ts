import * as z from 'zod';
import { exportRun as exportFinished } from '../../../shared/usecases/export-run.ts';
import { defineCall } from '../call.ts';
import { pageToken, runParams } from '../fields.ts';
import { runCost, runView, showCost, showRun } from '../run-view.ts';
import { showStepPage, stepPage } from '../step-view.ts';

const FORMAT = 'kagzi-run/1';

export const exportRun = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/runs/{run_id}/export',
  name: 'exportRun',
  summary: 'Export a finished run with its steps and payloads',
  access: 'user',
  params: runParams,
  query: z.strictObject({ page_token: pageToken }),
  answers: {
    200: z.strictObject({
      format: z.literal(FORMAT),
      incarnation: z.string().describe('What the ids and random numbers of the run were drawn from.'),
      epoch: z.int().describe('Of the owner that ended it; the traces of steps name the epochs of theirs.'),
      run: runView,
      cost: runCost,
      ...stepPage,
    }),
  },
  errors: ['RUN_NOT_FOUND', 'RUN_NOT_FINISHED', 'INVALID_PAGE_TOKEN'],
  async handle({ engine }, { params, query }) {
    const id = { namespace: params.namespace, runId: params.run_id };
    const exported = await exportFinished(engine, id, query.page_token);
    const { cost } = exported;
    const page = showStepPage(exported, engine.clock.now());
    return {
      status: 200,
      body: {
        format: FORMAT,
        incarnation: exported.run.incarnation,
        epoch: exported.run.epoch,
        run: showRun(exported),
        cost: showCost(cost),
        ...page,
      },
    };
  },
});
