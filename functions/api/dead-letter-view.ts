import * as z from 'zod';
import type { listDeadLetters } from '../../shared/usecases/list-dead-letters.ts';
import { instant } from './fields.ts';
import { time } from './run-view.ts';

type DeadLetter = Awaited<ReturnType<typeof listDeadLetters>>['letters'][number];

export const deadLetterView = z.strictObject({
  id: z.string(),
  task_queue: z.string(),
  workflow_type: z.string().describe('Or the kind of an internal message.'),
  run_id: z.string().nullable(),
  body: z.string().describe('The message: ids, never a payload.'),
  sent_at: instant,
  died_at: instant,
});

export const showDeadLetter = (letter: DeadLetter) => ({
  id: letter.id,
  task_queue: letter.queue,
  workflow_type: letter.kind,
  run_id: letter.runId,
  body: letter.body,
  sent_at: time(letter.sentAt),
  died_at: time(letter.diedAt),
});
