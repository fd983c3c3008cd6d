import * as z from 'zod';
import { redriveDeadLetter as redrive } from '../../../shared/usecases/redrive-dead-letter.ts';
import { defineCall } from '../call.ts';
import { deadLetterView, showDeadLetter } from '../dead-letter-view.ts';
import { namespace, noQuery } from '../fields.ts';

export const redriveDeadLetter = defineCall({
  method: 'POST',
  path: '/v1/{namespace}/dead-letters/{id}/redrive',
  name: 'redriveDeadLetter',
  summary: 'Send a dead letter again',
  access: 'user',
  params: z.strictObject({ namespace, id: z.string().regex(/^[\w-]{1,100}$/) }),
  query: noQuery,
  answers: { 200: deadLetterView },
  errors: ['DEAD_LETTER_NOT_FOUND', 'TASK_QUEUE_NOT_FOUND'],
  async handle({ engine }, { params }) {
    return { status: 200, body: showDeadLetter(await redrive(engine, params.namespace, params.id)) };
  },
});
