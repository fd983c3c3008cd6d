import * as z from 'zod';
import { checkHealth } from '../../../shared/usecases/check-health.ts';
import { defineCall } from '../call.ts';
import { noParams, noQuery } from '../fields.ts';

const answer = z.strictObject({ ready: z.boolean(), reasons: z.array(z.string()) });

export const getReadiness = defineCall({
  method: 'GET',
  path: '/ready',
  name: 'getReadiness',
  summary: 'Whether runs are given out: the store answers and the engine does not drain',
  access: 'open',
  params: noParams,
  query: noQuery,
  answers: { 200: answer, 503: answer },
  errors: [],
  async handle({ engine }) {
    const { status, message, draining } = await checkHealth(engine);
    const reasons = [
      ...(status === 'SERVING' ? [] : [message]),
      ...(draining ? ['The engine is draining: POST /admin/drain with {"drain": false} ends it.'] : []),
    ];
    return { status: reasons.length === 0 ? 200 : 503, body: { ready: reasons.length === 0, reasons } };
  },
});
