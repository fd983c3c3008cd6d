import type { HttpApi } from '../sdk/client/http-api.ts';
import { suggest } from '../sdk/suggest.ts';
import { allPages } from './all-pages.ts';
import type { WirePage, WireRun, WireTaskQueue, WireWorker } from './wire.ts';

/** A hint if nobody is there who would take the run; null if somebody is, or that cannot be known. */
export async function unservedHint(api: HttpApi, run: WireRun): Promise<string | null> {
  return run.status === 'PENDING' && run.started_at === null ? unservedTypeHint(api, run) : null;
}

export async function unservedTypeHint(
  api: HttpApi,
  run: Pick<WireRun, 'workflow_type' | 'task_queue'>,
): Promise<string | null> {
  const served = await servedTypes(api, run.task_queue);
  if (served === null || served.includes(run.workflow_type)) return null;
  const there = served.length === 0 ? 'No workflow is served there' : `Served there: ${served.join(', ')}`;
  return `No worker serves workflow type "${run.workflow_type}" on queue "${run.task_queue}" now. ${there}.${suggest(run.workflow_type, served)}`;
}

/** Null where workers are not known to the engine: Lambda functions take runs without registering. */
async function servedTypes(api: HttpApi, taskQueue: string): Promise<readonly string[] | null> {
  const queues = await allPages(
    api,
    { path: '/task-queues' },
    (page: WirePage & { readonly task_queues: readonly WireTaskQueue[] }) => page.task_queues,
  );
  const here = queues.rows.find(({ name }) => name === taskQueue)?.in_process_types ?? null;
  if (here === null) return null;
  const workers = await allPages(
    api,
    { path: '/workers', query: { task_queue: taskQueue, status: 'ONLINE' } },
    (page: WirePage & { readonly workers: readonly WireWorker[] }) => page.workers,
  );
  return [...new Set([...here, ...workers.rows.flatMap(({ workflow_types }) => workflow_types)])];
}
