import * as z from 'zod';
import { drainEngine as drain } from '../../../shared/usecases/drain-engine.ts';
import { defineCall } from '../call.ts';
import { noParams, noQuery } from '../fields.ts';

export const drainEngine = defineCall({
  method: 'POST',
  path: '/admin/drain',
  name: 'drainEngine',
  summary: 'Stop giving out runs and ask all workers to finish; or go on',
  access: 'admin',
  params: noParams,
  query: noQuery,
  body: z.strictObject({ drain: z.boolean().default(true).describe('False ends it.') }).prefault({}),
  answers: { 200: z.strictObject({ draining: z.boolean() }) },
  errors: [],
  async handle({ engine }, { body }) {
    await drain(engine, body.drain);
    return { status: 200, body: { draining: body.drain } };
  },
});
