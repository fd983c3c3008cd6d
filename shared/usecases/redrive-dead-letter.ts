import { KagziError } from '../model/errors.ts';
import { CONTROL_QUEUE } from '../ports/queue.ts';
import { type DeadLetter, deleteDeadLetter, readDeadLetter } from '../store/dead-letters.ts';
import { tracedBy } from '../store/dispatch.ts';
import type { Engine } from '../store/engine.ts';
import { requireTaskQueue } from './start-run.ts';

/** Sent first, removed then: a crash between the two sends it twice, and a message is only a hint. */
export async function redriveDeadLetter(engine: Engine, namespace: string, id: string): Promise<DeadLetter> {
  const letter = await readDeadLetter(engine, namespace, id);
  if (letter === null) throw new KagziError('DEAD_LETTER_NOT_FOUND', `There is no dead letter ${id}.`, { id });
  if (letter.queue !== CONTROL_QUEUE) await requireTaskQueue(engine, letter.queue);
  await engine.queue.send(letter.queue, [
    { body: letter.body, group: namespace, kind: letter.kind, ...tracedBy(engine) },
  ]);
  await deleteDeadLetter(engine, namespace, id);
  return letter;
}
