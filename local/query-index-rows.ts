import { readCost, readUnits } from '../shared/model/capacity-units.ts';
import { checkIndexKey } from '../shared/model/check-item.ts';
import { indexRowSize, MAX_PAGE_BYTES } from '../shared/model/item-size.ts';
import { compareUtf8 } from '../shared/model/utf8-order.ts';
import { PortError } from '../shared/ports/port-error.ts';
import { INDEXES, type IndexPage, type IndexQuery, type IndexRow } from '../shared/ports/table.ts';
import { fromBlob, toBlob } from './item-codec.ts';
import { checkLimit } from './query-rows.ts';
import type { SqliteStore } from './sqlite-store.ts';

const CHUNK = 256;

interface Row {
  readonly range: Uint8Array;
  readonly pk: Uint8Array;
  readonly sk: Uint8Array;
}

export function checkIndexQuery(query: IndexQuery): void {
  checkLimit(query.limit);
  checkStart(query);
  const { hash, range } = INDEXES[query.index];
  checkIndexKey(hash, query.hash, 'hash');
  if (query.from !== undefined && query.from !== '') checkIndexKey(range, query.from, 'range');
  if (query.to !== undefined) checkIndexKey(range, query.to, 'range');
  if (query.from !== undefined && query.to !== undefined && compareUtf8(query.from, query.to) > 0) {
    throw new PortError('invalid', 'the lower bound of an index query is above the upper one');
  }
}

function checkStart({ hash, from, to, after }: IndexQuery): void {
  if (after === undefined) return;
  const below = from !== undefined && compareUtf8(after.range, from) < 0;
  const above = to !== undefined && compareUtf8(after.range, to) > 0;
  if (after.hash !== hash || below || above)
    throw new PortError('invalid', 'after is outside the bounds of the index query');
}

/** Pages through the rows visible at `now`; the same row may stand there twice while a leave and an enter lag. */
function scan(store: SqliteStore, query: IndexQuery, now: number, take: (row: IndexRow) => boolean): void {
  const reverse = query.reverse === true;
  const compare = reverse ? '<' : '>';
  const direction = reverse ? 'DESC' : 'ASC';
  const from = toBlob(query.from ?? '');
  let after: readonly Uint8Array[] | null =
    query.after === undefined ? null : [query.after.range, query.after.pk, query.after.sk].map(toBlob);
  for (;;) {
    const parameters = [
      query.index,
      toBlob(query.hash),
      from,
      ...(query.to === undefined ? [] : [toBlob(query.to)]),
      ...(after ?? []),
    ];
    const rows = store
      .prepare(
        `SELECT DISTINCT range, pk, sk FROM idx WHERE name = ? AND hash = ? AND range >= ?
         ${query.to === undefined ? '' : 'AND range <= ?'} ${after === null ? '' : `AND (range, pk, sk) ${compare} (?, ?, ?)`}
         AND visible_from <= ? AND (visible_to IS NULL OR visible_to > ?)
         ORDER BY range ${direction}, pk ${direction}, sk ${direction} LIMIT ${CHUNK}`,
      )
      .all(...parameters, now, now) as Row[];
    for (const { range, pk, sk } of rows) {
      if (!take({ hash: query.hash, range: fromBlob(range), pk: fromBlob(pk), sk: fromBlob(sk) })) return;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return;
    after = [last.range, last.pk, last.sk];
  }
}

export function queryIndexRows(store: SqliteStore, query: IndexQuery, now: number): IndexPage {
  const rows: IndexRow[] = [];
  let bytes = 0;
  let next: IndexRow | null = null;
  scan(store, query, now, (row) => {
    const size = indexRowSize(query.index, row, row.pk, row.sk);
    if (bytes + size > MAX_PAGE_BYTES) {
      next = rows.at(-1) ?? null;
      return false;
    }
    bytes += size;
    rows.push(row);
    if (rows.length !== query.limit) return true;
    next = row;
    return false;
  });
  return { rows, next, units: readCost(readUnits(bytes, false)) };
}
