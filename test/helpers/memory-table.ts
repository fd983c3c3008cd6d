import type { StoredItem } from '../../local/item-rows.ts';
import { checkWrite, holds, keyOf, planWrite } from '../../local/plan-write.ts';
import { evaluateCondition } from '../../shared/model/evaluate-condition.ts';
import { indexEntry } from '../../shared/model/item-size.ts';
import { compareUtf8 } from '../../shared/model/utf8-order.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import {
  type Changes,
  type Condition,
  INDEXES,
  type IndexName,
  type IndexPage,
  type IndexQuery,
  type IndexRow,
  type Item,
  type Key,
  type PutResult,
  type Query,
  type QueryPage,
  type Table,
  type TransactResult,
  type TransactWrite,
  TTL_ATTRIBUTE,
  type UpdateResult,
} from '../../shared/ports/table.ts';

/** No read is older than this. */
export const MAX_STALE_MS = 60_000;
const UNITS = { write: 1, read: 1 } as const;
const INDEX_NAMES = Object.keys(INDEXES) as IndexName[];

interface Entry extends IndexRow {
  readonly visibleFrom: number;
  visibleTo: number;
}
type Older = { readonly item: Item | null; readonly until: number };

/** A table for tests that open thousands of them; its writes are those of the embedded one, its units mean nothing. */
export class MemoryTable implements Table {
  readonly #partitions = new Map<string, Map<string, StoredItem>>();
  /** By index and by partition: what shows, has shown a moment ago or is going to. */
  readonly #entries = new Map<IndexName, Map<string, Entry[]>>(INDEX_NAMES.map((index) => [index, new Map()]));
  readonly #older = new Map<string, Map<string, Older[]>>();

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly indexLagMs: () => number = () => 0,
    private readonly onWrite: (before: Item | null, after: Item | null) => void = () => undefined,
    /** How old what an eventually consistent read shows is. */
    private readonly staleMs: (() => number) | null = null,
  ) {}

  async get(key: Key, options?: { readonly consistent?: boolean }) {
    return { item: this.#read(key, this.#readAt(options?.consistent)), units: UNITS };
  }

  async put(item: Item, condition?: Condition): Promise<PutResult> {
    return this.#write({ kind: 'put', item, ...(condition && { condition }) });
  }

  async update(key: Key, changes: Changes, condition?: Condition): Promise<UpdateResult> {
    const result = this.#write({ kind: 'update', key, changes, ...(condition && { condition }) });
    return result.ok ? { ok: true, item: result.after as Item, units: UNITS } : result;
  }

  async delete(key: Key, condition?: Condition): Promise<PutResult> {
    return this.#write({ kind: 'delete', key, ...(condition && { condition }) });
  }

  async transact(_writes: readonly TransactWrite[]): Promise<TransactResult> {
    throw new Error('the engine needs no transaction');
  }

  async query(query: Query): Promise<QueryPage> {
    const { prefix = '', after = '' } = query;
    const at = this.#readAt(query.consistent);
    const found = [...(this.#partitions.get(query.pk)?.values() ?? [])]
      .flatMap(({ item }) => this.#read(item, at) ?? [])
      .filter((item) => item.sk.startsWith(prefix) && compareUtf8(item.sk, after) > 0)
      .sort((a, b) => compareUtf8(a.sk, b.sk));
    const page = found.slice(0, query.limit ?? found.length);
    const items = page
      .filter((item) => query.filter === undefined || evaluateCondition(query.filter, item))
      .map((item) => projected(item, query.attributes));
    return { items, next: page.length === query.limit ? (page.at(-1)?.sk ?? null) : null, units: UNITS };
  }

  async queryIndex(query: IndexQuery): Promise<IndexPage> {
    const now = this.clock.now();
    const { from = '', to = '\uffff' } = query;
    const rows: Entry[] = [];
    for (const entries of this.#index(query.index).values()) {
      for (const entry of entries) {
        if (entry.visibleFrom > now || now >= entry.visibleTo || entry.hash !== query.hash) continue;
        if (from <= entry.range && entry.range <= to) rows.push(entry);
      }
    }
    rows.sort(byRange);
    if (query.reverse === true) rows.reverse();
    const { after } = query;
    const start = after === undefined ? 0 : rows.findIndex((row) => (query.reverse ? -1 : 1) * byRange(row, after) > 0);
    const page = start < 0 ? [] : rows.slice(start, start + (query.limit ?? rows.length));
    return {
      rows: page.map(({ pk, sk, hash, range }) => ({ pk, sk, hash, range })),
      next: page.length > 0 && page.length === query.limit ? (page.at(-1) ?? null) : null,
      units: UNITS,
    };
  }

  async batchGet(keys: readonly Key[], options?: { readonly consistent?: boolean }) {
    const at = this.#readAt(options?.consistent);
    return { items: keys.flatMap((key) => this.#read(key, at) ?? []), units: UNITS };
  }

  async batchWrite(writes: { readonly put?: readonly Item[]; readonly delete?: readonly Key[] }) {
    for (const item of writes.put ?? []) this.#write({ kind: 'put', item });
    for (const key of writes.delete ?? []) this.#write({ kind: 'delete', key });
    return { units: UNITS };
  }

  async awaitChange(): Promise<void> {}

  /** The next moment at which a row of the due index appears or falls due. */
  nextDueAt(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const at of this.#dueTimes(now)) if (at > now && at < next) next = at;
    return next;
  }

  /** Whether a row of the due index shows and is due. */
  isDue(now: number): boolean {
    for (const at of this.#dueTimes(now)) if (at <= now) return true;
    return false;
  }

  *#dueTimes(now: number): Iterable<number> {
    for (const entries of this.#index('due').values()) {
      for (const { range, visibleFrom, visibleTo } of entries)
        if (visibleTo > now) yield Math.max(Number(range), visibleFrom);
    }
  }

  /** The table's own TTL. */
  async removeExpired(): Promise<void> {
    const now = Math.floor(this.clock.now() / 1000);
    for (const { item } of [...this.#partitions.values()].flatMap((partition) => [...partition.values()])) {
      const ttl = item[TTL_ATTRIBUTE];
      if (typeof ttl === 'number' && ttl <= now) await this.delete(item);
    }
  }

  /** Takes partitions away that nobody has any more use for. */
  forget(partitions: ReadonlySet<string>): void {
    for (const pk of partitions) {
      this.#partitions.delete(pk);
      this.#older.delete(pk);
      for (const entries of this.#entries.values()) entries.delete(pk);
    }
  }

  /** The item under this sort key in every partition that has one. */
  everywhere(sk: string): readonly Item[] {
    return [...this.#partitions.values()].flatMap((partition) => partition.get(sk)?.item ?? []);
  }

  count(which: (item: Item) => boolean): number {
    let count = 0;
    for (const partition of this.#partitions.values())
      for (const { item } of partition.values()) if (which(item)) count += 1;
    return count;
  }

  /** The time that a read shows; null for the present. */
  #readAt(consistent: boolean | undefined): number | null {
    const ageMs = consistent === true ? 0 : (this.staleMs?.() ?? 0);
    return ageMs === 0 ? null : this.clock.now() - ageMs;
  }

  #read(key: Key, at: number | null): Item | null {
    const current = this.#find(key)?.item ?? null;
    if (at === null) return current;
    const older = this.#older
      .get(key.pk)
      ?.get(key.sk)
      ?.find(({ until }) => until > at);
    return older === undefined ? current : older.item;
  }

  #remember(key: Key, item: Item | null): void {
    if (this.staleMs === null) return;
    const partition = this.#older.get(key.pk) ?? new Map<string, Older[]>();
    const now = this.clock.now();
    const older = (partition.get(key.sk) ?? []).filter(({ until }) => until > now - MAX_STALE_MS);
    partition.set(key.sk, [...older, { item, until: now }]);
    this.#older.set(key.pk, partition);
  }

  #find(key: Key): StoredItem | null {
    return this.#partitions.get(key.pk)?.get(key.sk) ?? null;
  }

  #write(write: TransactWrite) {
    const checked = checkWrite(write);
    const key = keyOf(write);
    const before = this.#find(key);
    if (!holds(write, before)) return { ok: false, current: before?.item ?? null, units: UNITS } as const;
    const after = planWrite(checked, before);
    this.onWrite(before?.item ?? null, after?.item ?? null);
    this.#remember(key, before?.item ?? null);
    const partition = this.#partitions.get(key.pk) ?? new Map<string, StoredItem>();
    if (after === null) partition.delete(key.sk);
    else partition.set(key.sk, after);
    this.#partitions.set(key.pk, partition);
    for (const index of INDEX_NAMES) this.#moveEntry(index, key, before?.item ?? null, after?.item ?? null);
    return { ok: true, after: after?.item ?? null, units: UNITS } as const;
  }

  #moveEntry(index: IndexName, { pk, sk }: Key, before: Item | null, after: Item | null): void {
    const from = indexEntry(before, index);
    const to = indexEntry(after, index);
    if (from?.hash === to?.hash && from?.range === to?.range) return;
    const now = this.clock.now();
    const at = now + this.indexLagMs();
    const partitions = this.#index(index);
    const entries = partitions.get(pk) ?? [];
    for (const entry of entries) {
      if (entry.sk === sk && entry.visibleTo === Number.POSITIVE_INFINITY) entry.visibleTo = at;
    }
    const left = entries.filter((entry) => entry.visibleTo > now && entry.visibleFrom < entry.visibleTo);
    if (to !== null) left.push({ pk, sk, ...to, visibleFrom: at, visibleTo: Number.POSITIVE_INFINITY });
    if (left.length > 0) partitions.set(pk, left);
    else partitions.delete(pk);
  }

  #index(index: IndexName): Map<string, Entry[]> {
    return this.#entries.get(index) as Map<string, Entry[]>;
  }
}

const projected = (item: Item, attributes: readonly string[] | undefined): Item => {
  if (attributes === undefined) return item;
  const wanted = Object.entries(item).filter(([name]) => name === 'pk' || name === 'sk' || attributes.includes(name));
  return Object.fromEntries(wanted) as Item;
};

const byRange = (a: IndexRow, b: IndexRow): number =>
  compareUtf8(a.range, b.range) || compareUtf8(a.pk, b.pk) || compareUtf8(a.sk, b.sk);
