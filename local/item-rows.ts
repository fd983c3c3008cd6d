import { type IndexEntry, type IndexMove, indexEntry, indexMoves } from '../shared/model/item-size.ts';
import { type IndexName, type Item, type Key, TTL_ATTRIBUTE } from '../shared/ports/table.ts';
import { decodeItem, encodeItem, fromBlob, toBlob } from './item-codec.ts';
import type { SqliteStore } from './sqlite-store.ts';

export interface StoredItem {
  readonly item: Item;
  readonly size: number;
}

/** When an index row written now appears, or one removed now disappears. */
export type IndexLag = () => { readonly now: number; readonly lagMs: number };

/** Of the items that change: heads of runs, mostly. */
const REMEMBERED = 2_000;
/** Of those that nothing is due of any more, such as heads of ended runs: they are looked at once or twice, and soon. */
const ENDED = 100;

/** The rows of items and of their index entries. To be called inside a store operation. */
export class ItemRows {
  /** As they stand in the open group: the store has no other writer. */
  readonly #remembered = new Map<string, StoredItem>();
  readonly #ended = new Map<string, StoredItem>();

  constructor(
    private readonly store: SqliteStore,
    private readonly lag: IndexLag,
  ) {
    store.onRollback(() => {
      this.#remembered.clear();
      this.#ended.clear();
    });
  }

  find(key: Key): StoredItem | null {
    const name = nameOf(key);
    return this.#remembered.get(name) ?? this.#ended.get(name) ?? this.#read(key);
  }

  #read(key: Key): StoredItem | null {
    const row = this.store
      .prepare('SELECT size, item FROM items WHERE pk = ? AND sk = ?')
      .get(toBlob(key.pk), toBlob(key.sk)) as { readonly size: number; readonly item: string } | undefined;
    return row === undefined ? null : { item: decodeItem(key.pk, key.sk, row.item), size: row.size };
  }

  /** False, and nothing is written, if there is such an item. */
  insert(after: StoredItem): boolean {
    const { item, size } = after;
    const { changes } = this.store
      .prepare('INSERT INTO items (pk, sk, size, ttl, item) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(toBlob(item.pk), toBlob(item.sk), size, ttlOf(item), encodeItem(item));
    if (changes === 0) return false;
    const moves = indexMoves(null, item);
    if (moves.length === 0) return true;
    this.#remember(after);
    this.#moveEntries(item, moves);
    return true;
  }

  replace(before: StoredItem, after: StoredItem): void {
    const { item, size } = after;
    this.store
      .prepare('UPDATE items SET size = ?, ttl = ?, item = ? WHERE pk = ? AND sk = ?')
      .run(size, ttlOf(item), encodeItem(item), toBlob(item.pk), toBlob(item.sk));
    this.#remember(after);
    this.#moveEntries(item, indexMoves(before.item, item));
  }

  remove(before: StoredItem): void {
    const { item } = before;
    this.store.prepare('DELETE FROM items WHERE pk = ? AND sk = ?').run(toBlob(item.pk), toBlob(item.sk));
    this.#forget(nameOf(item));
    this.#moveEntries(item, indexMoves(item, null));
  }

  expired(nowSeconds: number, limit: number): readonly Key[] {
    const rows = this.store
      .prepare('SELECT pk, sk FROM items WHERE ttl <= ? ORDER BY ttl LIMIT ?')
      .all(nowSeconds, limit) as {
      readonly pk: Uint8Array;
      readonly sk: Uint8Array;
    }[];
    return rows.map((row) => ({ pk: fromBlob(row.pk), sk: fromBlob(row.sk) }));
  }

  /** Entries whose late disappearance has come and gone. */
  forgetGoneEntries(): void {
    this.store.prepare('DELETE FROM idx WHERE visible_to <= ?').run(this.lag().now);
  }

  #remember(stored: StoredItem): void {
    const name = nameOf(stored.item);
    const isDue = indexEntry(stored.item, 'due') !== null;
    const [some, most] = isDue ? [this.#remembered, REMEMBERED] : [this.#ended, ENDED];
    this.#forget(name);
    some.set(name, stored);
    if (some.size <= most) return;
    for (const oldest of some.keys()) {
      some.delete(oldest);
      return;
    }
  }

  #forget(name: string): void {
    this.#remembered.delete(name);
    this.#ended.delete(name);
  }

  #moveEntries(key: Key, moves: readonly IndexMove[]): void {
    for (const { index, from, to } of moves) {
      const { now, lagMs } = this.lag();
      if (from !== null) this.#leave(index, from, key, lagMs > 0 ? now + lagMs : null);
      // 0 rather than now: a clock set back must not hide the row.
      if (to !== null) this.#enter(index, to, key, lagMs > 0 ? now + lagMs : 0);
    }
  }

  #enter(index: IndexName, entry: IndexEntry, key: Key, visibleFrom: number): void {
    this.store
      .prepare(
        'INSERT OR REPLACE INTO idx (name, hash, range, pk, sk, visible_from, visible_to) VALUES (?, ?, ?, ?, ?, ?, NULL)',
      )
      .run(index, ...entryBlobs(entry, key), visibleFrom);
  }

  #leave(index: IndexName, entry: IndexEntry, key: Key, visibleTo: number | null): void {
    const row = 'name = ? AND hash = ? AND range = ? AND pk = ? AND sk = ? AND visible_to IS NULL';
    const blobs = entryBlobs(entry, key);
    if (visibleTo === null) {
      this.store.prepare(`DELETE FROM idx WHERE ${row}`).run(index, ...blobs);
      return;
    }
    this.store.prepare(`DELETE FROM idx WHERE ${row} AND visible_from >= ?`).run(index, ...blobs, visibleTo);
    this.store.prepare(`UPDATE idx SET visible_to = ? WHERE ${row}`).run(visibleTo, index, ...blobs);
  }
}

/** No text has a lone surrogate: so no two keys have one name. */
const nameOf = ({ pk, sk }: Key): string => `${pk}\ud800${sk}`;

function ttlOf(item: Item): number | null {
  const ttl = Object.hasOwn(item, TTL_ATTRIBUTE) ? item[TTL_ATTRIBUTE] : null;
  return typeof ttl === 'number' ? ttl : null;
}

const entryBlobs = (entry: IndexEntry, key: Key): readonly Uint8Array[] => [
  toBlob(entry.hash),
  toBlob(entry.range),
  toBlob(key.pk),
  toBlob(key.sk),
];
