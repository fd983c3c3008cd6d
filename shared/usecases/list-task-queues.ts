import type { QueueDepth } from '../ports/queue.ts';
import type { Engine } from '../store/engine.ts';
import { queryTaskQueues } from '../store/seen.ts';
import { pageCursor, pageToken } from './page-token.ts';

export interface TaskQueue extends QueueDepth {
  readonly name: string;
  readonly firstSeenAt: number;
}

export interface ListTaskQueues {
  readonly namespace: string;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

/** The queues a namespace has used, with what waits in them. */
export async function listTaskQueues(
  engine: Engine,
  request: ListTaskQueues,
): Promise<{ readonly taskQueues: readonly TaskQueue[]; readonly nextPageToken: string | null }> {
  const query = { taskQueues: request.namespace };
  const after = pageCursor(query, request.pageToken);
  const { names, next } = await queryTaskQueues(engine, request.namespace, after, request.pageSize);
  const taskQueues = await Promise.all(
    names.map(async (queue) => ({ ...queue, ...(await engine.queue.depth(queue.name, request.namespace)) })),
  );
  return { taskQueues, nextPageToken: next === null ? null : pageToken(query, next) };
}
