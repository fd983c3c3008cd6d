import { readCost, readUnits } from '../shared/model/capacity-units.ts';
import { checkCondition, evaluateCondition } from '../shared/model/evaluate-condition.ts';
import { MAX_PAGE_BYTES } from '../shared/model/item-size.ts';
import { PortError } from '../shared/ports/port-error.ts';
import type { Condition, Item, Query, QueryPage } from '../shared/ports/table.ts';
import { decodeItem, fromBlob, toBlob } from './item-codec.ts';
import type { SqliteStore } from './sqlite-store.ts';

const CHUNK = 64;
const MAX_BLOB = Buffer.alloc(1025, 0xff);
const EMPTY = Buffer.alloc(0);

interface Row {
  readonly sk: Uint8Array;
  readonly size: number;
  readonly item: string;
}

export function checkLimit(limit: number | undefined): void {
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1))
    throw new PortError('invalid', `limit is ${limit}`);
}

function filteredNames(condition: Condition): readonly string[] {
  if ('attr' in condition) return [condition.attr];
  return condition.op === 'not' ? filteredNames(condition.of) : condition.of.flatMap(filteredNames);
}

export function checkFilter(filter: Condition): void {
  checkCondition(filter);
  if (filteredNames(filter).some((name) => name === 'pk' || name === 'sk')) {
    throw new PortError('invalid', 'a filter cannot look at the key');
  }
}

/** The first key behind all keys with this prefix: no UTF-8 byte is 0xff, so the last one can grow. */
function prefixEnd(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  end[end.length - 1] = (end[end.length - 1] as number) + 1;
  return end;
}

function project(item: Item, attributes: readonly string[] | undefined): Item {
  if (attributes === undefined) return item;
  const picked = attributes.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]] as const);
  return { ...Object.fromEntries(picked), pk: item.pk, sk: item.sk } as Item;
}

/** Rows in order from exclusive bounds, until `take` says no. */
function scan(store: SqliteStore, query: Query, take: (row: Row) => boolean): void {
  const prefix = Buffer.from(query.prefix ?? '', 'utf8');
  const pk = toBlob(query.pk);
  let low: Buffer | Uint8Array = prefix;
  let high: Buffer | Uint8Array = prefix.length > 0 ? prefixEnd(prefix) : MAX_BLOB;
  let lowExcluded = false;
  if (query.after !== undefined) {
    const after = Buffer.from(query.after, 'utf8');
    if (query.reverse === true) {
      if (Buffer.compare(after, high) < 0) high = after;
    } else if (Buffer.compare(after, low) >= 0) {
      low = after;
      lowExcluded = true;
    }
  }
  const direction = query.reverse === true ? 'DESC' : 'ASC';
  const sql = (bound: '>' | '>='): string =>
    `SELECT sk, size, item FROM items WHERE pk = ? AND sk ${bound} ? AND sk < ? ORDER BY sk ${direction} LIMIT ${CHUNK}`;
  for (;;) {
    const rows = store.prepare(sql(lowExcluded ? '>' : '>=')).all(pk, low.length === 0 ? EMPTY : low, high) as Row[];
    for (const row of rows) if (!take(row)) return;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return;
    if (query.reverse === true) high = last.sk;
    else {
      low = last.sk;
      lowExcluded = true;
    }
  }
}

/** A page ends with `limit` rows, and then has a next even if nothing follows, or before the row that would pass 1 MB. */
export function queryRows(store: SqliteStore, query: Query): QueryPage {
  const items: Item[] = [];
  let bytes = 0;
  let looked = 0;
  let last: string | null = null;
  let next: string | null = null;
  scan(store, query, (row) => {
    if (bytes + row.size > MAX_PAGE_BYTES) {
      next = last;
      return false;
    }
    const sk = fromBlob(row.sk);
    const item = decodeItem(query.pk, sk, row.item);
    bytes += row.size;
    looked += 1;
    last = sk;
    if (query.filter === undefined || evaluateCondition(query.filter, item))
      items.push(project(item, query.attributes));
    if (looked !== query.limit) return true;
    next = sk;
    return false;
  });
  return { items, next, units: readCost(readUnits(bytes, query.consistent === true)) };
}
