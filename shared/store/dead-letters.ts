import type { Item } from '../ports/table.ts';
import { AttributeReader } from './attributes.ts';
import type { Engine } from './engine.ts';
import { deadLettersPk, FORMAT } from './keys.ts';
import { sureWrite } from './sure-write.ts';

/** A message that was delivered too often, as it is kept for people to look at. */
export interface DeadLetter {
  readonly namespace: string;
  readonly id: string;
  readonly queue: string;
  readonly kind: string;
  readonly body: string;
  readonly runId: string | null;
  readonly sentAt: number;
  readonly diedAt: number;
}

const key = (namespace: string, id: string) => ({ pk: deadLettersPk(namespace), sk: id });

/** The id comes from the message, so a second delivery of it writes the same item. */
export async function putDeadLetter(engine: Engine, letter: DeadLetter): Promise<void> {
  const item = {
    ...key(letter.namespace, letter.id),
    v: FORMAT,
    q: letter.queue,
    kd: letter.kind,
    b: letter.body,
    ...(letter.runId === null ? {} : { run: letter.runId }),
    c0: letter.sentAt,
    c2: letter.diedAt,
    ttl: Math.ceil((letter.diedAt + engine.config.retentionMs) / 1000),
  };
  await sureWrite(engine, () => engine.table.put(item));
}

function decode(namespace: string, item: Item): DeadLetter {
  const read = new AttributeReader(`dead letter ${item.sk}`, item);
  return {
    namespace,
    id: item.sk,
    queue: read.text('q'),
    kind: read.text('kd'),
    body: read.text('b'),
    runId: read.textOrNull('run'),
    sentAt: read.number('c0'),
    diedAt: read.number('c2'),
  };
}

export async function readDeadLetter(engine: Engine, namespace: string, id: string): Promise<DeadLetter | null> {
  const { item } = await engine.table.get(key(namespace, id), { consistent: true });
  return item === null ? null : decode(namespace, item);
}

export async function deleteDeadLetter(engine: Engine, namespace: string, id: string): Promise<void> {
  await sureWrite(engine, () => engine.table.delete(key(namespace, id)));
}

/** Oldest first: their ids begin with the time they were sent. */
export async function queryDeadLetters(
  engine: Engine,
  namespace: string,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly letters: readonly DeadLetter[]; readonly next: string | null }> {
  const { items, next } = await engine.table.query({
    pk: deadLettersPk(namespace),
    limit: page.limit,
    ...(page.after === undefined ? {} : { after: page.after }),
  });
  return { letters: items.map((item) => decode(namespace, item)), next };
}
