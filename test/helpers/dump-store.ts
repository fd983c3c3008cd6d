import { decodeItem, fromBlob } from '../../local/item-codec.ts';
import type { RunId } from '../../shared/model/run.ts';
import type { Item } from '../../shared/ports/table.ts';
import { runPk } from '../../shared/store/keys.ts';
import type { TestEngine } from './test-engine.ts';

interface ItemRow {
  readonly pk: Uint8Array;
  readonly sk: Uint8Array;
  readonly item: string;
}

export function dumpItems(test: TestEngine): Item[] {
  const rows = test.embedded.store.prepare('SELECT pk, sk, item FROM items ORDER BY pk, sk').all() as ItemRow[];
  return rows.map((row) => decodeItem(fromBlob(row.pk), fromBlob(row.sk), row.item));
}

export const itemsOf = (test: TestEngine, run: RunId): Item[] =>
  dumpItems(test).filter((item) => item.pk === runPk(run));

export async function blobKeys(test: TestEngine): Promise<string[]> {
  const { blobs } = await test.engine.blobs.list({ prefix: '', limit: 1_000 });
  return blobs.map((blob) => blob.key);
}

export function countRows(test: TestEngine, table: 'messages' | 'timers' | 'idx'): number {
  const row = test.embedded.store.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { readonly n: number };
  return row.n;
}

/** Everything that is stored: items with their index rows, messages, timers and blobs. */
export async function dumpStore(test: TestEngine): Promise<unknown> {
  const rows = (table: string): unknown[] => test.embedded.store.prepare(`SELECT * FROM ${table}`).all();
  return {
    items: dumpItems(test),
    index: rows('idx'),
    messages: rows('messages'),
    timers: rows('timers'),
    blobs: await blobKeys(test),
  };
}

/** What the table's TTL does some time after an item's end; `except` keeps some, because it comes when it comes. */
export async function expireItems(test: TestEngine, except: (item: Item) => boolean = () => false): Promise<number> {
  const now = test.clock.now() / 1000;
  const gone = dumpItems(test).filter((item) => typeof item.ttl === 'number' && item.ttl <= now && !except(item));
  await test.table.batchWrite({ delete: gone.map(({ pk, sk }) => ({ pk, sk })) });
  return gone.length;
}

/** Messages are only hints: this loses all there are. */
export function loseMessages(test: TestEngine): void {
  test.embedded.store.prepare('DELETE FROM messages').run();
}

export function loseTimers(test: TestEngine): void {
  test.embedded.store.prepare('DELETE FROM timers').run();
}
