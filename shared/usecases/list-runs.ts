import { runIdFor } from '../model/ids.ts';
import { classOf, RUN_CLASSES, type Run, type RunClass, type RunStatus } from '../model/run.ts';
import type { Engine } from '../store/engine.ts';
import { type ListedRuns, listRuns as listStoredRuns, placeOf, type RunRange } from '../store/list-runs.ts';
import { readRun } from '../store/run-head.ts';
import { pageCursor, pageToken } from './page-token.ts';

export interface RunFilter {
  readonly namespace: string;
  readonly class?: RunClass | undefined;
  readonly status?: RunStatus | undefined;
  readonly workflowType?: string | undefined;
  readonly version?: string | undefined;
  readonly taskQueue?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly externalId?: string | undefined;
  readonly createdFrom?: number | undefined;
  readonly createdBefore?: number | undefined;
}

export interface ListRuns extends RunFilter {
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
  readonly includeTotalCount?: boolean | undefined;
}

export interface RunPage {
  readonly runs: readonly Run[];
  /** A page may be short, or empty, and still have a next one: only so many runs are looked at for it. */
  readonly nextPageToken: string | null;
  readonly total: { readonly count: number; readonly capped: boolean } | null;
}

/** How many runs one page, or one count, looks at. */
const LOOKED_AT_MOST = 1_000;
const READ_AT_ONCE = 100;

/** Newest first. */
export async function listRuns(engine: Engine, request: ListRuns): Promise<RunPage> {
  const { pageSize, pageToken: token, includeTotalCount, ...filter } = request;
  const cursor = pageCursor({ runs: filter }, token);
  if (filter.externalId !== undefined) return oneRun(engine, filter, filter.externalId, includeTotalCount);
  const { runs, next } = await collect(engine, filter, cursor, pageSize);
  return {
    runs,
    nextPageToken: next === null ? null : pageToken({ runs: filter }, next),
    total: includeTotalCount === true ? await countRuns(engine, filter) : null,
  };
}

const rangeOf = (filter: RunFilter): RunRange => {
  const runClass = filter.class ?? (filter.status && classOf(filter.status));
  return { ...filter, classes: runClass === undefined ? RUN_CLASSES : [runClass] };
};

function matches(run: Run, filter: RunFilter): boolean {
  const asked: readonly (readonly [unknown, unknown])[] = [
    [filter.class, classOf(run.status)],
    [filter.status, run.status],
    [filter.workflowType, run.workflowType],
    [filter.version, run.version],
    [filter.taskQueue, run.taskQueue],
    [filter.scheduleId, run.scheduleId],
    [filter.externalId, run.externalId],
  ];
  return (
    asked.every(([wanted, actual]) => wanted === undefined || wanted === actual) &&
    run.createdAt >= (filter.createdFrom ?? 0) &&
    run.createdAt < (filter.createdBefore ?? Number.POSITIVE_INFINITY)
  );
}

async function collect(engine: Engine, filter: RunFilter, cursor: string | undefined, wanted: number) {
  const runs: Run[] = [];
  let after = cursor;
  let looked = 0;
  for (;;) {
    const page: ListedRuns = await listStoredRuns(engine, rangeOf(filter), after, READ_AT_ONCE);
    runs.push(...page.runs.filter((run) => matches(run, filter)));
    const last = runs[wanted - 1];
    if (last !== undefined && (runs.length > wanted || page.next !== null)) {
      return { runs: runs.slice(0, wanted), next: placeOf(last) };
    }
    if (page.next === null) return { runs, next: null };
    looked += page.looked;
    after = page.next;
    if (looked >= LOOKED_AT_MOST) return { runs, next: after };
  }
}

async function countRuns(engine: Engine, filter: RunFilter): Promise<{ count: number; capped: boolean }> {
  const { runs, next } = await collect(engine, filter, undefined, LOOKED_AT_MOST);
  return { count: runs.length, capped: next !== null };
}

async function oneRun(
  engine: Engine,
  filter: RunFilter,
  externalId: string,
  counted: boolean | undefined,
): Promise<RunPage> {
  const run = await readRun(engine, { namespace: filter.namespace, runId: runIdFor(filter.namespace, externalId) });
  const runs = run !== null && matches(run, filter) ? [run] : [];
  return { runs, nextPageToken: null, total: counted === true ? { count: runs.length, capped: false } : null };
}
