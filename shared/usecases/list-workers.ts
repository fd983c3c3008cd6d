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

export async function listWorkers(engine: Engine, request: ListWorkers) {
  const query = { workers: request.namespace, taskQueue: request.taskQueue, status: request.status };
  const matches = (worker: Worker): boolean =>
    (request.taskQueue === undefined || worker.taskQueue === request.taskQueue) &&
    (request.status === undefined || worker.status === request.status);
  const found: Worker[] = [];
  let after = pageCursor(query, request.pageToken);
  let more = true;
  while (more && found.length < request.pageSize) {
    const page = await queryWorkers(engine, request.namespace, { after, limit: request.pageSize - found.length });
    found.push(...page.workers.filter(matches));
    after = page.next ?? undefined;
    more = page.next !== null;
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
