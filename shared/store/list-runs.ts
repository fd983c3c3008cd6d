import type { Run, RunClass } from '../model/run.ts';
import { compareUtf8 } from '../model/utf8-order.ts';
import type { IndexRow } from '../ports/table.ts';
import type { Engine } from './engine.ts';
import { listHash, listRange, timeKey } from './keys.ts';
import { readHeads } from './run-head.ts';

export interface RunRange {
  readonly namespace: string;
  readonly classes: readonly RunClass[];
  /** Inclusive. */
  readonly createdFrom?: number | undefined;
  /** Exclusive. */
  readonly createdBefore?: number | undefined;
}

export interface ListedRuns {
  readonly runs: readonly Run[];
  /** The place of the last row looked at; null when there are no more. */
  readonly next: string | null;
  readonly looked: number;
}

/** Where the list goes on after this run. */
export const placeOf = (run: Run): string => listRange(run.createdAt, run.runId);

/** Newest first, over all shards of the classes. Rows are hints: a run is listed for what its head says. */
export async function listRuns(
  engine: Engine,
  range: RunRange,
  before: string | undefined,
  limit: number,
): Promise<ListedRuns> {
  const partitions = range.classes.flatMap((runClass) =>
    Array.from({ length: engine.config.listShards }, (_, shard) => listHash(range.namespace, runClass, shard)),
  );
  const found = await Promise.all(partitions.map((hash) => rowsOf(engine, range, hash, before, limit)));
  const merged = found.flatMap((page) => page.rows).sort((a, b) => compareUtf8(b.range, a.range));
  const rows = merged.slice(0, limit);
  const more = merged.length > limit || found.some((page) => page.more);
  return {
    runs: await headsOf(engine, rows),
    next: more ? (rows.at(-1)?.range ?? null) : null,
    looked: rows.length,
  };
}

async function rowsOf(
  engine: Engine,
  range: RunRange,
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

async function headsOf(engine: Engine, rows: readonly IndexRow[]): Promise<readonly Run[]> {
  // A run that just changed its class may still have a row in the old one too.
  const keys = [...new Map(rows.map(({ pk, sk }) => [pk, { pk, sk }])).values()];
  const runs = await readHeads(engine, keys);
  return keys.flatMap(({ pk }) => runs.get(pk) ?? []);
}
