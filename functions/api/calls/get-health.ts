import * as z from 'zod';
import { checkHealth } from '../../../shared/usecases/check-health.ts';
import { defineCall } from '../call.ts';
import { instant, noParams, noQuery } from '../fields.ts';
import { time } from '../run-view.ts';

const answer = z.strictObject({ status: z.enum(['SERVING', 'NOT_SERVING']), message: z.string(), timestamp: instant });

export const getHealth = defineCall({
  method: 'GET',
  path: '/health',
  name: 'getHealth',
  summary: 'Whether the store answers',
  access: 'open',
  params: noParams,
  query: noQuery,
  answers: { 200: answer, 503: answer },
  errors: [],
  async handle({ engine }) {
    const { status, message, checkedAt } = await checkHealth(engine);
    return { status: status === 'SERVING' ? 200 : 503, body: { status, message, timestamp: time(checkedAt) } };
  },
});
