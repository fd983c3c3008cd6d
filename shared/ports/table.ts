/**
 * A conditional-write table: exactly the DynamoDB primitives we use, as typed data.
 * Every answer says what it cost in capacity units.
 */

export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly Value[]
  | { readonly [name: string]: Value };
export type Scalar = string | number | boolean | null | Uint8Array;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}
export type Item = Key & { readonly [attribute: string]: Value };

/** The two sparse KEYS_ONLY indexes. An item is in an index while it carries both of its attributes (strings, never empty). */
export const INDEXES = {
  due: { hash: 'dk', range: 'ds' },
  list: { hash: 'lk', range: 'ls' },
} as const;
export type IndexName = keyof typeof INDEXES;

/** Number, seconds since 1970; the table removes the item some time after it. */
export const TTL_ATTRIBUTE = 'ttl';

/** A comparison with a missing attribute or another type is false; `<>` is its opposite and so true. */
export type Condition =
  | { readonly op: 'exists' | 'missing'; readonly attr: string }
  | { readonly op: '=' | '<>' | '<' | '<=' | '>' | '>='; readonly attr: string; readonly value: Scalar }
  | { readonly op: 'in'; readonly attr: string; readonly values: readonly Scalar[] }
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition };

/** Top-level attributes only; an attribute stands in at most one of the four. `add` counts a missing attribute as 0. */
export interface Changes {
  readonly set?: Readonly<Record<string, Value>>;
  readonly setIfMissing?: Readonly<Record<string, Value>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

export interface Units {
  readonly write: number;
  readonly read: number;
}

export interface Lost {
  readonly ok: false;
  /** The item that beat the condition, as it stood then; null if there was none. */
  readonly current: Item | null;
  readonly units: Units;
}
export type PutResult = { readonly ok: true; readonly units: Units } | Lost;
export type DeleteResult = PutResult;
export type UpdateResult = { readonly ok: true; readonly item: Item; readonly units: Units } | Lost;

export type TransactWrite =
  | { readonly kind: 'put'; readonly item: Item; readonly condition?: Condition }
  | { readonly kind: 'update'; readonly key: Key; readonly changes: Changes; readonly condition?: Condition }
  | { readonly kind: 'delete'; readonly key: Key; readonly condition?: Condition }
  | { readonly kind: 'check'; readonly key: Key; readonly condition: Condition };
export type TransactResult =
  | { readonly ok: true; readonly units: Units }
  | {
      readonly ok: false;
      /** One entry per write whose condition failed. */
      readonly failures: readonly { readonly index: number; readonly current: Item | null }[];
      readonly units: Units;
    };

export interface Query {
  readonly pk: string;
  readonly prefix?: string;
  /** Exclusive start: the `next` of the page before. */
  readonly after?: string;
  /** Rows looked at, before `filter`. */
  readonly limit?: number;
  readonly reverse?: boolean;
  readonly consistent?: boolean;
  readonly filter?: Condition;
  /** Only these attributes (pk and sk always) are answered; the cost is the same. */
  readonly attributes?: readonly string[];
}
export interface QueryPage {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly units: Units;
}

export interface IndexRow extends Key {
  readonly hash: string;
  readonly range: string;
}
export interface IndexQuery {
  readonly index: IndexName;
  readonly hash: string;
  /** Inclusive bounds of the range attribute, compared as UTF-8 bytes. */
  readonly from?: string;
  readonly to?: string;
  readonly after?: IndexRow;
  readonly limit?: number;
  readonly reverse?: boolean;
}
export interface IndexPage {
  /** Hints: they may lag behind the items. */
  readonly rows: readonly IndexRow[];
  readonly next: IndexRow | null;
  readonly units: Units;
}

/** The word to stop, told once to whoever listens by then. */
export interface StopWord {
  readonly isTold: boolean;
  listen(listener: () => void): void;
  unlisten(listener: () => void): void;
}

export interface Table {
  get(
    key: Key,
    options?: { readonly consistent?: boolean },
  ): Promise<{ readonly item: Item | null; readonly units: Units }>;
  put(item: Item, condition?: Condition): Promise<PutResult>;
  update(key: Key, changes: Changes, condition?: Condition): Promise<UpdateResult>;
  delete(key: Key, condition?: Condition): Promise<DeleteResult>;
  /** All or nothing, at most 100 writes on distinct items, at double the units. */
  transact(writes: readonly TransactWrite[]): Promise<TransactResult>;
  /** In order of sk by UTF-8 bytes; a page ends at `limit` rows or 1 MB. */
  query(query: Query): Promise<QueryPage>;
  queryIndex(query: IndexQuery): Promise<IndexPage>;
  /** Any number of keys; missing items are left out; no order is promised. */
  batchGet(
    keys: readonly Key[],
    options?: { readonly consistent?: boolean },
  ): Promise<{ readonly items: readonly Item[]; readonly units: Units }>;
  /** Any number of unconditional writes on distinct items; not atomic. */
  batchWrite(writes: {
    readonly put?: readonly Item[];
    readonly delete?: readonly Key[];
  }): Promise<{ readonly units: Units }>;
  /** Answers when the item may have changed, the time is up or it is told to stop: a hint to read again. */
  awaitChange(key: Key, timeoutMs: number, stop?: StopWord): Promise<void>;
}
