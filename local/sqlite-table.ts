import { readCost, readUnits, writeCost } from '../shared/model/capacity-units.ts';
import { checkKey } from '../shared/model/check-item.ts';
import { lostUnits } from '../shared/model/lost-units.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { PortError } from '../shared/ports/port-error.ts';
import type {
  Changes,
  Condition,
  DeleteResult,
  IndexPage,
  IndexQuery,
  Item,
  Key,
  Lost,
  PutResult,
  Query,
  QueryPage,
  Table,
  TransactResult,
  TransactWrite,
  Units,
  UpdateResult,
} from '../shared/ports/table.ts';
import { ChangeSignals } from './change-signals.ts';
import { ItemRows, type StoredItem } from './item-rows.ts';
import { checkWrite, holds, keyOf, plannedUnits, planWrite } from './plan-write.ts';
import { checkIndexQuery, queryIndexRows } from './query-index-rows.ts';
import { checkFilter, checkLimit, queryRows } from './query-rows.ts';
import type { SqliteStore } from './sqlite-store.ts';

const MAX_TRANSACT_WRITES = 100;
const MAX_TRANSACT_BYTES = 4 * 1024 * 1024;

export interface SqliteTableOptions {
  /** How late an index row appears or disappears, asked at each change; none by default. */
  readonly indexLagMs?: () => number;
}

type Applied = { readonly ok: true; readonly after: StoredItem | null; readonly units: Units };

export class SqliteTable implements Table {
  readonly #rows: ItemRows;
  readonly #signals: ChangeSignals;

  constructor(
    private readonly store: SqliteStore,
    private readonly clock: Clock,
    options: SqliteTableOptions = {},
  ) {
    const lag = options.indexLagMs ?? (() => 0);
    this.#rows = new ItemRows(store, () => ({ now: clock.now(), lagMs: lag() }));
    this.#signals = new ChangeSignals(clock);
    store.onClose(() => this.#signals.wakeAll());
  }

  async get(key: Key, options: { readonly consistent?: boolean } = {}): Promise<{ item: Item | null; units: Units }> {
    checkKey(key);
    return this.store.read(() => {
      const found = this.#rows.find(key);
      return { item: found?.item ?? null, units: readCost(readUnits(found?.size ?? 0, options.consistent === true)) };
    });
  }

  async put(item: Item, condition?: Condition): Promise<PutResult> {
    const result = await this.#writeOne({ kind: 'put', item, ...(condition && { condition }) });
    return result.ok ? { ok: true, units: result.units } : result;
  }

  async update(key: Key, changes: Changes, condition?: Condition): Promise<UpdateResult> {
    const result = await this.#writeOne({ kind: 'update', key, changes, ...(condition && { condition }) });
    return result.ok ? { ok: true, item: (result.after as StoredItem).item, units: result.units } : result;
  }

  async delete(key: Key, condition?: Condition): Promise<DeleteResult> {
    const result = await this.#writeOne({ kind: 'delete', key, ...(condition && { condition }) });
    return result.ok ? { ok: true, units: result.units } : result;
  }

  async transact(writes: readonly TransactWrite[]): Promise<TransactResult> {
    if (writes.length === 0 || writes.length > MAX_TRANSACT_WRITES) {
      throw new PortError('invalid', `a transaction of ${writes.length} writes`);
    }
    for (const write of writes) checkWrite(write);
    checkDistinct(writes.map(keyOf));
    return this.store.write(() => {
      const found = writes.map((write) => this.#rows.find(keyOf(write)));
      // Planned before the failures are looked at: an impossible write outweighs a lost condition.
      const planned = writes.map((write, index) => {
        const before = found[index] ?? null;
        return holds(write, before) ? { after: planWrite(write, before) } : null;
      });
      const failures = planned.flatMap((plan, index) =>
        plan === null ? [{ index, current: found[index]?.item ?? null }] : [],
      );
      if (failures.length > 0) {
        // As the DynamoDB adapter has to: a cancelled transaction shows it only the items that lost.
        const losers = new Map(failures.map(({ index, current }) => [index, current]));
        const units = writes.reduce((sum, write, index) => sum + 2 * lostUnits(write, losers.get(index) ?? null), 0);
        return { ok: false, failures, units: writeCost(units) };
      }
      if (planned.reduce((sum, plan) => sum + (plan?.after?.size ?? 0), 0) > MAX_TRANSACT_BYTES) {
        throw new PortError('invalid', 'a transaction of more than 4 MB');
      }
      let units = 0;
      writes.forEach((write, index) => {
        const before = found[index] ?? null;
        const after = planned[index]?.after ?? null;
        const cost = plannedUnits(before, after);
        units += 2 * cost.table + cost.index;
        if (write.kind !== 'check') this.#apply(keyOf(write), before, after);
      });
      return { ok: true, units: writeCost(units) };
    });
  }

  async query(query: Query): Promise<QueryPage> {
    checkLimit(query.limit);
    checkKey({ pk: query.pk, sk: query.after ?? '-' });
    if (query.after?.startsWith(query.prefix ?? '') === false)
      throw new PortError('invalid', 'after is outside the prefix');
    if (query.filter !== undefined) checkFilter(query.filter);
    return this.store.read(() => queryRows(this.store, query));
  }

  async queryIndex(query: IndexQuery): Promise<IndexPage> {
    checkIndexQuery(query);
    return this.store.read(() => queryIndexRows(this.store, query, this.clock.now()));
  }

  async batchGet(
    keys: readonly Key[],
    options: { readonly consistent?: boolean } = {},
  ): Promise<{ items: Item[]; units: Units }> {
    for (const key of keys) checkKey(key);
    checkDistinct(keys);
    return this.store.read(() => {
      const found = keys.map((key) => this.#rows.find(key));
      const units = found.reduce((sum, stored) => sum + readUnits(stored?.size ?? 0, options.consistent === true), 0);
      return { items: found.flatMap((stored) => (stored === null ? [] : [stored.item])), units: readCost(units) };
    });
  }

  async batchWrite(writes: {
    readonly put?: readonly Item[];
    readonly delete?: readonly Key[];
  }): Promise<{ units: Units }> {
    const all: TransactWrite[] = [
      ...(writes.put ?? []).map((item) => ({ kind: 'put', item }) as const),
      ...(writes.delete ?? []).map((key) => ({ kind: 'delete', key }) as const),
    ];
    for (const write of all) checkWrite(write);
    checkDistinct(all.map(keyOf));
    return this.store.write(() => {
      let units = 0;
      for (const write of all) units += this.#change(write).units.write;
      return { units: writeCost(units) };
    });
  }

  awaitChange(key: Key, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return this.#signals.wait(key, timeoutMs, signal);
  }

  /** The table's own TTL: removes some items whose time has passed, and answers how many. */
  sweepExpired(nowSeconds: number, limit: number): Promise<number> {
    return this.store.write(() => {
      this.#rows.forgetGoneEntries();
      const keys = this.#rows.expired(nowSeconds, limit);
      for (const key of keys) this.#change({ kind: 'delete', key });
      return keys.length;
    });
  }

  async #writeOne(write: TransactWrite): Promise<Applied | Lost> {
    checkWrite(write);
    return this.store.write(() => {
      const before = this.#rows.find(keyOf(write));
      if (holds(write, before)) return this.#change(write, before);
      const current = before?.item ?? null;
      return { ok: false, current, units: writeCost(lostUnits(write, current)) };
    });
  }

  #change(write: TransactWrite, before = this.#rows.find(keyOf(write))): Applied {
    const after = planWrite(write, before);
    const { table, index } = plannedUnits(before, after);
    this.#apply(keyOf(write), before, after);
    return { ok: true, after, units: writeCost(table + index) };
  }

  #apply(key: Key, before: StoredItem | null, after: StoredItem | null): void {
    if (after !== null) this.#rows.save(before, after);
    else if (before !== null) this.#rows.remove(before);
    this.store.afterGroup(() => this.#signals.wake(key));
  }
}

function checkDistinct(keys: readonly Key[]): void {
  const names = new Set(keys.map((key) => JSON.stringify([key.pk, key.sk])));
  if (names.size !== keys.length) throw new PortError('invalid', 'the same item twice in one request');
}
