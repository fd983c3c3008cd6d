import type {
  Changes,
  Condition,
  DeleteResult,
  IndexPage,
  IndexQuery,
  Item,
  Key,
  PutResult,
  Query,
  QueryPage,
  StopWord,
  Table,
  TransactResult,
  TransactWrite,
  Units,
  UpdateResult,
} from '../ports/table.ts';

const CALLS = [
  'get',
  'put',
  'update',
  'delete',
  'transact',
  'query',
  'queryIndex',
  'batchGet',
  'batchWrite',
  'awaitChange',
] as const;
type Call = (typeof CALLS)[number] & keyof Table;

export interface TableUsage {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly transactions: number;
  readonly calls: Readonly<Record<Call, number>>;
}

const noCalls = (): Record<Call, number> => Object.fromEntries(CALLS.map((call) => [call, 0])) as Record<Call, number>;

/** Adds up what the calls cost. A call that throws is counted, but nobody knows its units. */
export class MeteredTable implements Table {
  readonly #table: Table;
  readonly #onUse: (units: Units) => void;
  #writeUnits = 0;
  #readUnits = 0;
  #calls = noCalls();

  constructor(table: Table, onUse: (units: Units) => void = () => undefined) {
    this.#table = table;
    this.#onUse = onUse;
  }

  snapshot(): TableUsage {
    return {
      writeUnits: this.#writeUnits,
      readUnits: this.#readUnits,
      transactions: this.#calls.transact,
      calls: { ...this.#calls },
    };
  }

  reset(): void {
    this.#writeUnits = 0;
    this.#readUnits = 0;
    this.#calls = noCalls();
  }

  get(
    key: Key,
    options?: { readonly consistent?: boolean },
  ): Promise<{ readonly item: Item | null; readonly units: Units }> {
    return this.#measure('get', this.#table.get(key, options));
  }

  put(item: Item, condition?: Condition): Promise<PutResult> {
    return this.#measure('put', this.#table.put(item, condition));
  }

  update(key: Key, changes: Changes, condition?: Condition): Promise<UpdateResult> {
    return this.#measure('update', this.#table.update(key, changes, condition));
  }

  delete(key: Key, condition?: Condition): Promise<DeleteResult> {
    return this.#measure('delete', this.#table.delete(key, condition));
  }

  transact(writes: readonly TransactWrite[]): Promise<TransactResult> {
    return this.#measure('transact', this.#table.transact(writes));
  }

  query(query: Query): Promise<QueryPage> {
    return this.#measure('query', this.#table.query(query));
  }

  queryIndex(query: IndexQuery): Promise<IndexPage> {
    return this.#measure('queryIndex', this.#table.queryIndex(query));
  }

  batchGet(
    keys: readonly Key[],
    options?: { readonly consistent?: boolean },
  ): Promise<{ readonly items: readonly Item[]; readonly units: Units }> {
    return this.#measure('batchGet', this.#table.batchGet(keys, options));
  }

  batchWrite(writes: {
    readonly put?: readonly Item[];
    readonly delete?: readonly Key[];
  }): Promise<{ readonly units: Units }> {
    return this.#measure('batchWrite', this.#table.batchWrite(writes));
  }

  awaitChange(key: Key, timeoutMs: number, stop?: StopWord): Promise<void> {
    this.#calls.awaitChange += 1;
    return this.#table.awaitChange(key, timeoutMs, stop);
  }

  #measure<T extends { readonly units: Units }>(call: Call, answer: Promise<T>): Promise<T> {
    this.#calls[call] += 1;
    return answer.then((result) => {
      this.#writeUnits += result.units.write;
      this.#readUnits += result.units.read;
      this.#onUse(result.units);
      return result;
    });
  }
}
