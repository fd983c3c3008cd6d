import { ApiProblem, callApi, within } from '../api.ts';
import type { Paged, RunSummary } from '../wire.ts';
import { apiQuery, type RunFilters, runIdIn } from './run-query.ts';

export interface RunPage extends Paged {
  readonly runs: readonly RunSummary[];
  readonly total_count?: number;
  readonly total_count_capped?: boolean;
}

export interface RunListing {
  readonly namespace: string;
  readonly filters: RunFilters;
  /** Times are counted back from then: the pages of one question belong together. */
  readonly askedAt: number;
  readonly pageToken: string | undefined;
  readonly pageSize: number;
  readonly counted?: boolean;
}

/** What looks like an id is looked up as one first, and as an external id otherwise. */
export async function listRuns(listing: RunListing, signal?: AbortSignal): Promise<RunPage> {
  const { namespace, filters, askedAt, pageToken, pageSize, counted = false } = listing;
  const search = filters.search.trim();
  const runId = runIdIn(search);
  if (runId !== null) {
    const run = await findRun(namespace, runId, signal);
    if (run !== null) return { runs: [run], next_page_token: null, total_count: 1 };
  }
  return callApi<RunPage>(within(namespace, '/runs'), {
    query: {
      ...apiQuery({ ...filters, search }, askedAt),
      page_size: pageSize,
      page_token: pageToken,
      include_total_count: counted ? 'true' : undefined,
    },
    ...(signal === undefined ? {} : { signal }),
  });
}

async function findRun(namespace: string, runId: string, signal?: AbortSignal): Promise<RunSummary | null> {
  try {
    return await callApi<RunSummary>(within(namespace, `/runs/${runId}`), signal === undefined ? {} : { signal });
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}
