import * as z from 'zod';
import { getRun as get } from '../../../shared/usecases/get-run.ts';
import { runCost } from '../../../shared/usecases/run-cost.ts';
import { defineCall } from '../call.ts';
import { runParams } from '../fields.ts';
import { runView, showRun } from '../run-view.ts';

const MAX_WAIT_SECS = 20;

export const getRun = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/runs/{run_id}',
  name: 'getRun',
  summary: 'Get a run, if asked after waiting for its end',
  access: 'user',
  params: runParams,
  query: z.strictObject({
    wait: z
      .string()
      .regex(/^\d{1,2}(\.\d{1,3})?s?$/)
      .transform((text) => Number.parseFloat(text))
      .pipe(z.number().min(0).max(MAX_WAIT_SECS))
      .optional()
      .describe(`Seconds, at most ${MAX_WAIT_SECS}: answers when the run ends or the time is up.`),
    include: z.enum(['cost']).optional().describe('`cost` adds what the run has cost so far; it reads all steps.'),
  }),
  answers: { 200: runView },
  errors: ['RUN_NOT_FOUND'],
  async handle({ engine, signal }, { params, query }) {
    const id = { namespace: params.namespace, runId: params.run_id };
    const details = await get(engine, id, { waitMs: (query.wait ?? 0) * 1000, signal });
    const cost = query.include === 'cost' ? await runCost(engine, details.run) : null;
    return { status: 200, body: showRun(details, cost) };
  },
});
