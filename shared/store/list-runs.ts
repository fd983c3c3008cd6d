import type { Run, RunClass } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { listRange } from './keys.ts';
import { type ListedRows, type ListRange, listRows } from './list-rows.ts';
import { readHeads } from './run-head.ts';

export interface RunRange extends ListRange {
  readonly classes: readonly RunClass[];
}

export type ListedRuns = { readonly runs: readonly Run[] } & Pick<ListedRows, 'next' | 'looked'>;

/** Where the list goes on after this run. */
export const placeOf = (run: Run): string => listRange(run.createdAt, run.runId);

/** Newest first. Rows are hints: a run is listed for what its head says. */
export async function listRuns(
  engine: Engine,
  range: RunRange,
  before: string | undefined,
  limit: number,
): Promise<ListedRuns> {
  const { keys, next, looked } = await listRows(engine, range, before, limit);
  const runs = await readHeads(engine, keys);
  return { runs: keys.flatMap(({ pk }) => runs.get(pk) ?? []), next, looked };
}
