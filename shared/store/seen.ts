import type { Engine } from './engine.ts';
import { FORMAT, NAMESPACES_PK, taskQueuesPk } from './keys.ts';

/** Remembers that a namespace uses a task queue, before the first thing that does; null where it is remembered. */
export const noteTaskQueue = (engine: Engine, namespace: string, taskQueue: string): Promise<void> | null =>
  engine.memory.hasNoted(namespace, taskQueue) ? null : note(engine, namespace, taskQueue);

async function note(engine: Engine, namespace: string, taskQueue: string): Promise<void> {
  const keys = [
    { pk: NAMESPACES_PK, sk: namespace },
    { pk: taskQueuesPk(namespace), sk: taskQueue },
  ];
  try {
    const { items } = await engine.table.batchGet(keys);
    const missing = keys.filter((key) => !items.some((item) => item.pk === key.pk && item.sk === key.sk));
    const at = engine.clock.now();
    if (missing.length > 0)
      await engine.table.batchWrite({ put: missing.map((key) => ({ ...key, v: FORMAT, c0: at })) });
    engine.memory.noted(namespace, taskQueue);
  } catch (error) {
    // Only the listing of namespaces and queues suffers, and the next call tries again.
    engine.telemetry.log('warn', 'could not note a task queue', {
      namespace,
      task_queue: taskQueue,
      error: String(error),
    });
  }
}

const names = async (engine: Engine, pk: string, after: string | undefined, limit: number) => {
  const page = await engine.table.query({ pk, limit, ...(after === undefined ? {} : { after }) });
  return { names: page.items.map((item) => ({ name: item.sk, firstSeenAt: item.c0 as number })), next: page.next };
};

export const queryNamespaces = (engine: Engine, after: string | undefined, limit: number) =>
  names(engine, NAMESPACES_PK, after, limit);
export const queryTaskQueues = (engine: Engine, namespace: string, after: string | undefined, limit: number) =>
  names(engine, taskQueuesPk(namespace), after, limit);
