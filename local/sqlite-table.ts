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
  StopWord,
  Table,
  TransactResult,
  TransactWrite,
  Units,
  UpdateResult,
} from '../shared/ports/table.ts';
import { ChangeSignals } from './change-signals.ts';
import { ItemRows, type StoredItem } from './item-rows.ts';
import { type CheckedWrite, checkWrite, holds, keyOf, plannedUnits, planWrite } from './plan-write.ts';
import { checkIndexQuery, queryIndexRows } from './query-index-rows.ts';
import { checkFilter, checkLimit, queryRows } from './query-rows.ts';
import type { SqliteStore } from './sqlite-store.ts';

const MAX_TRANSACT_WRITES = 100;
const MAX_TRANSACT_BYTES = 4 * 1024 * 1024;

export interface SqliteTableOptions {
  /** How late an index row appears or disappears, asked at each change; none by default. */
  readonly indexLagMs?: () => number;
  /** Told what each call costs. */
  readonly onUse?: (units: Units) => void;
}

type Applied = { readonly ok: true; readonly item?: Item; readonly units: Units };

export class SqliteTable implements Table {
  readonly #rows: ItemRows;
  readonly #signals: ChangeSignals;
  readonly #onUse: (units: Units) => void;

  constructor(
    private readonly store: SqliteStore,
    private readonly clock: Clock,
    options: SqliteTableOptions = {},
  ) {
    const lag = options.indexLagMs ?? (() => 0);
    this.#onUse = options.onUse ?? (() => undefined);
    this.#rows = new ItemRows(store, () => ({ now: clock.now(), lagMs: lag() }));
    this.#signals = new ChangeSignals(clock);
    store.onChange((keys) => this.#signals.wake(keys));
    store.onClose(() => this.#signals.wakeAll());
  }

  get(key: Key, options: { readonly consistent?: boolean } = {}): Promise<{ item: Item | null; units: Units }> {
    return this.#read(() => {
      checkKey(key);
      const found = this.#rows.find(key);
      return { item: found?.item ?? null, units: readCost(readUnits(found?.size ?? 0, options.consistent === true)) };
    });
  }

  put(item: Item, condition?: Condition): Promise<PutResult> {
    return this.#writeOne(condition === undefined ? { kind: 'put', item } : { kind: 'put', item, condition });
  }

  update(key: Key, changes: Changes, condition?: Condition): Promise<UpdateResult> {
    return this.#writeOne({ kind: 'update', key, changes, ...(condition && { condition }) }) as Promise<UpdateResult>;
  }

  delete(key: Key, condition?: Condition): Promise<DeleteResult> {
    return this.#writeOne({ kind: 'delete', key, ...(condition && { condition }) });
  }

  async transact(writes: readonly TransactWrite[]): Promise<TransactResult> {
    if (writes.length === 0 || writes.length > MAX_TRANSACT_WRITES) {
      throw new PortError('invalid', `a transaction of ${writes.length} writes`);
    }
    const checked = writes.map(checkWrite);
    checkDistinct(writes.map(keyOf));
    return this.#write(() => {
      const found = writes.map((write) => this.#rows.find(keyOf(write)));
      // Planned before the failures are looked at: an impossible write outweighs a lost condition.
      const planned = checked.map((one, index) => {
        const before = found[index] ?? null;
        return holds(one.write, before) ? { after: planWrite(one, before) } : null;
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
        if (write.kind === 'check') return;
        this.#apply(before, after);
        this.store.noteChange(keyOf(write));
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
    return this.#read(() => queryRows(this.store, query));
  }

  async queryIndex(query: IndexQuery): Promise<IndexPage> {
    checkIndexQuery(query);
    return this.#read(() => queryIndexRows(this.store, query, this.clock.now()));
  }

  async batchGet(
    keys: readonly Key[],
    options: { readonly consistent?: boolean } = {},
  ): Promise<{ items: Item[]; units: Units }> {
    for (const key of keys) checkKey(key);
    checkDistinct(keys);
    return this.#read(() => {
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
    const checked = all.map(checkWrite);
    checkDistinct(all.map(keyOf));
    return this.#write(() => {
      let units = 0;
      for (const one of checked) units += this.#perform(one).units.write;
      return { units: writeCost(units) };
    });
  }

  awaitChange(key: Key, timeoutMs: number, stop?: StopWord): Promise<void> {
    return this.#signals.wait(key, timeoutMs, stop);
  }

  /** The table's own TTL: removes some items whose time has passed, and answers how many. */
  sweepExpired(nowSeconds: number, limit: number): Promise<number> {
    return this.store.write(() => {
      this.#rows.forgetGoneEntries();
      const keys = this.#rows.expired(nowSeconds, limit);
      for (const key of keys) this.#perform({ write: { kind: 'delete', key }, size: 0 });
      return keys.length;
    });
  }

  #read<T extends { readonly units: Units }>(operation: () => T): Promise<T> {
    return this.store.read(() => this.#counted(operation()));
  }

  #write<T extends { readonly units: Units }>(operation: () => T): Promise<T> {
    return this.store.write(() => this.#counted(operation()));
  }

  #counted<T extends { readonly units: Units }>(answer: T): T {
    this.#onUse(answer.units);
    return answer;
  }

  #writeOne(write: TransactWrite): Promise<Applied | Lost> {
    return this.store.write(() => this.#counted(this.#perform(checkWrite(write))));
  }

  #perform(checked: CheckedWrite): Applied | Lost {
    const { write } = checked;
    // Most puts are of something new: then it is one statement, and no reading before it.
    if (write.kind === 'put' && holds(write, null)) {
      const after = { item: write.item, size: checked.size };
      if (this.#rows.insert(after)) return this.#done(write.item, null, after);
    }
    const before = this.#rows.find(keyOf(write));
    if (holds(write, before)) return this.#change(checked, before);
    const current = before?.item ?? null;
    return { ok: false, current, units: writeCost(lostUnits(write, current)) };
  }

  #change(checked: CheckedWrite, before: StoredItem | null): Applied {
    const after = planWrite(checked, before);
    const key = keyOf(checked.write);
    this.#apply(before, after);
    const done = this.#done(key, before, after);
    return checked.write.kind === 'update' && after !== null ? { ...done, item: after.item } : done;
  }

  #done(key: Key, before: StoredItem | null, after: StoredItem | null): Applied {
    const { table, index } = plannedUnits(before, after);
    this.store.noteChange(key);
    return { ok: true, units: writeCost(table + index) };
  }

  #apply(before: StoredItem | null, after: StoredItem | null): void {
    if (before !== null && after !== null) this.#rows.replace(before, after);
    else if (after !== null) this.#rows.insert(after);
    else if (before !== null) this.#rows.remove(before);
  }
}

function checkDistinct(keys: readonly Key[]): void {
  const names = new Set(keys.map((key) => JSON.stringify([key.pk, key.sk])));
  if (names.size !== keys.length) throw new PortError('invalid', 'the same item twice in one request');
}
