import type { Worker, WorkerStatus } from '../model/worker.ts';
import type { Engine } from '../store/engine.ts';
import { queryWorkers } from '../store/workers.ts';
import { pageCursor, pageToken } from './page-token.ts';

export interface ListWorkers {
  readonly namespace: string;
  readonly taskQueue?: string | undefined;
  readonly status?: WorkerStatus | undefined;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
  readonly includeTotalCount?: boolean | undefined;
}

const COUNTED_AT_MOST = 1_000;
/** A page may be short, and still have a next one: only so many workers are looked at for it. */
const LOOKED_AT_MOST = 1_000;

export async function listWorkers(engine: Engine, request: ListWorkers) {
  const query = { workers: request.namespace, taskQueue: request.taskQueue, status: request.status };
  const matches = (worker: Worker): boolean =>
    (request.taskQueue === undefined || worker.taskQueue === request.taskQueue) &&
    (request.status === undefined || worker.status === request.status);
  const filtered = request.taskQueue !== undefined || request.status !== undefined;
  const found: Worker[] = [];
  let after = pageCursor(query, request.pageToken);
  let more = true;
  let looked = 0;
  while (more && found.length < request.pageSize && looked < LOOKED_AT_MOST) {
    const limit = request.pageSize - found.length;
    const page = await queryWorkers(engine, request.namespace, {
      after,
      limit: filtered ? Math.max(limit, 100) : limit,
    });
    const matching = page.workers.filter(matches);
    found.push(...matching.slice(0, limit));
    looked += page.workers.length;
    after = matching.length > limit ? matching[limit - 1]?.workerId : (page.next ?? undefined);
    more = after !== undefined;
  }
  return {
    workers: found,
    nextPageToken: more && after !== undefined ? pageToken(query, after) : null,
    ...(request.includeTotalCount ? { total: await countWorkers(engine, request.namespace, matches) } : {}),
  };
}

async function countWorkers(engine: Engine, namespace: string, matches: (worker: Worker) => boolean) {
  let after: string | undefined;
  let looked = 0;
  let count = 0;
  do {
    const page = await queryWorkers(engine, namespace, { after, limit: COUNTED_AT_MOST });
    looked += page.workers.length;
    count += page.workers.filter(matches).length;
    after = page.next ?? undefined;
  } while (after !== undefined && looked < COUNTED_AT_MOST);
  return { count, capped: after !== undefined };
}
