import { compareUtf8 } from '../model/utf8-order.ts';
import type { IndexRow, Key } from '../ports/table.ts';
import type { Engine } from './engine.ts';
import { type ListClass, listHash, timeKey } from './keys.ts';

export interface ListRange {
  readonly namespace: string;
  readonly classes: readonly ListClass[];
  /** Inclusive. */
  readonly createdFrom?: number | undefined;
  /** Exclusive. */
  readonly createdBefore?: number | undefined;
}

export interface ListedRows {
  readonly keys: readonly Key[];
  /** The place of the last row looked at; null when there are no more. */
  readonly next: string | null;
  readonly looked: number;
}

/** Newest first, over all shards of the classes. */
export async function listRows(
  engine: Engine,
  range: ListRange,
  before: string | undefined,
  limit: number,
): Promise<ListedRows> {
  const partitions = range.classes.flatMap((listClass) =>
    Array.from({ length: engine.config.listShards }, (_, shard) => listHash(range.namespace, listClass, shard)),
  );
  const found = await Promise.all(partitions.map((hash) => rowsOf(engine, range, hash, before, limit)));
  const merged = found.flatMap((page) => page.rows).sort((a, b) => compareUtf8(b.range, a.range));
  const rows = merged.slice(0, limit);
  const more = merged.length > limit || found.some((page) => page.more);
  return {
    // A run that just changed its class may still have a row in the old one too.
    keys: [...new Map(rows.map(({ pk, sk }) => [pk, { pk, sk }])).values()],
    next: more ? (rows.at(-1)?.range ?? null) : null,
    looked: rows.length,
  };
}

async function rowsOf(
  engine: Engine,
  range: ListRange,
  hash: string,
  before: string | undefined,
  limit: number,
): Promise<{ readonly rows: readonly IndexRow[]; readonly more: boolean }> {
  const to = before ?? (range.createdBefore === undefined ? undefined : timeKey(range.createdBefore));
  const from = range.createdFrom === undefined ? undefined : timeKey(range.createdFrom);
  if (from !== undefined && to !== undefined && compareUtf8(from, to) > 0) return { rows: [], more: false };
  const { rows, next } = await engine.table.queryIndex({
    index: 'list',
    hash,
    reverse: true,
    // One more, because the row at the bound itself was in the page before.
    limit: limit + 1,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  });
  return { rows: rows.filter((row) => row.range !== before), more: next !== null };
}
