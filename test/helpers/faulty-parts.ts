import type { Ids } from '../../shared/ports/ids.ts';
import { PortError } from '../../shared/ports/port-error.ts';
import type { Queue } from '../../shared/ports/queue.ts';
import type { Changes, Condition, Item, Key, Table } from '../../shared/ports/table.ts';
import type { EngineParts } from '../../shared/store/engine.ts';

export const tableWith = (table: Table, instead: Partial<Table>): Table => ({
  get: (key, options) => table.get(key, options),
  put: (item, condition) => table.put(item, condition),
  update: (key, changes, condition) => table.update(key, changes, condition),
  delete: (key, condition) => table.delete(key, condition),
  transact: (writes) => table.transact(writes),
  query: (query) => table.query(query),
  queryIndex: (query) => table.queryIndex(query),
  batchGet: (keys, options) => table.batchGet(keys, options),
  batchWrite: (writes) => table.batchWrite(writes),
  awaitChange: (key, timeoutMs, stop) => table.awaitChange(key, timeoutMs, stop),
  ...instead,
});

export const queueWith = (queue: Queue, instead: Partial<Queue>): Queue => ({
  maxDelayMs: queue.maxDelayMs,
  declared: () => queue.declared(),
  send: (name, messages) => queue.send(name, messages),
  receive: (name, options) => queue.receive(name, options),
  ack: (name, deliveries) => queue.ack(name, deliveries),
  release: (name, delivery, delayMs) => queue.release(name, delivery, delayMs),
  depth: (name, group) => queue.depth(name, group),
  ...instead,
});

/** Without chance: a write is tried again at once, and time need not be moved for it. */
export const evenIds = (ids: Ids): Ids => ({
  uuid: (now) => ids.uuid(now),
  token: () => ids.token(),
  writeId: () => ids.writeId(),
  random: () => 0,
});

/** Applies writes and loses their answers, while it is told to. */
export class LostAnswers {
  /** Which writes; none by default. */
  lose: (write: { readonly sk: string; readonly status: unknown }) => boolean = () => false;
  /** How many answers were lost so far. */
  lost = 0;
  /** Happens after the write and before it is tried again. */
  meanwhile: () => Promise<unknown> = async () => undefined;

  readonly wrap = (parts: EngineParts): EngineParts => ({
    ...parts,
    ids: evenIds(parts.ids),
    table: tableWith(parts.table, {
      put: (item: Item, condition?: Condition) =>
        this.#answer(parts.table.put(item, condition), { sk: item.sk, status: item.st }),
      update: (key: Key, changes: Changes, condition?: Condition) =>
        this.#answer(parts.table.update(key, changes, condition), { sk: key.sk, status: changes.set?.st }),
    }),
  });

  /** Loses the answer of the next write that leaves an item with this status, once. */
  once(sk: (sk: string) => boolean, status: string): void {
    this.lose = (write) => {
      if (!sk(write.sk) || write.status !== status) return false;
      this.lose = () => false;
      return true;
    };
  }

  async #answer<T>(applied: Promise<T>, write: { readonly sk: string; readonly status: unknown }): Promise<T> {
    const result = await applied;
    if (!this.lose(write)) return result;
    this.lost += 1;
    await this.meanwhile();
    throw new PortError('unknown', 'the answer was lost');
  }
}
