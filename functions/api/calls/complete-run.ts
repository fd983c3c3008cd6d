import * as z from 'zod';
import { completeRun as complete } from '../../../shared/usecases/complete-run.ts';
import { defineCall } from '../call.ts';
import { lease, noQuery, parseLease, payload, runParams } from '../fields.ts';
import { runSummary, summarizeRun } from '../run-view.ts';

export const completeRun = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/runs/{run_id}/complete',
  name: 'completeRun',
  summary: 'End a run with its output',
  access: 'user',
  params: runParams,
  query: noQuery,
  body: z.strictObject({ lease, output: payload.optional() }),
  answers: { 200: runSummary },
  errors: ['RUN_NOT_FOUND', 'LEASE_LOST', 'PAYLOAD_TOO_LARGE'],
  async handle({ engine }, { params, body }) {
    const output = body.output === undefined ? undefined : JSON.stringify(body.output);
    return { status: 200, body: summarizeRun(await complete(engine, parseLease(params, body.lease), output)) };
  },
});
