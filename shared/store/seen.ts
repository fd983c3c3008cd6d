import type { Table } from '../ports/table.ts';
import type { Engine } from './engine.ts';
import { FORMAT, NAMESPACES_PK, taskQueuesPk } from './keys.ts';

/** What this process has already noted, per table, so that noting costs nothing on the hot path. */
const noted = new WeakMap<Table, Set<string>>();
const MAX_NOTED = 10_000;

/** Remembers that a namespace uses a task queue, before the first thing that does. */
export async function noteTaskQueue(engine: Engine, namespace: string, taskQueue: string): Promise<void> {
  const seen = noted.get(engine.table) ?? new Set<string>();
  noted.set(engine.table, seen);
  const mark = `${namespace}#${taskQueue}`;
  if (seen.has(mark)) return;
  const keys = [
    { pk: NAMESPACES_PK, sk: namespace },
    { pk: taskQueuesPk(namespace), sk: taskQueue },
  ];
  const { items } = await engine.table.batchGet(keys);
  const missing = keys.filter((key) => !items.some((item) => item.pk === key.pk && item.sk === key.sk));
  const at = engine.clock.now();
  if (missing.length > 0) await engine.table.batchWrite({ put: missing.map((key) => ({ ...key, v: FORMAT, c0: at })) });
  if (seen.size >= MAX_NOTED) seen.clear();
  seen.add(mark);
}

const names = async (engine: Engine, pk: string, after: string | undefined, limit: number) => {
  const page = await engine.table.query({ pk, limit, ...(after === undefined ? {} : { after }) });
  return { names: page.items.map((item) => ({ name: item.sk, firstSeenAt: item.c0 as number })), next: page.next };
};

export const queryNamespaces = (engine: Engine, after: string | undefined, limit: number) =>
  names(engine, NAMESPACES_PK, after, limit);
export const queryTaskQueues = (engine: Engine, namespace: string, after: string | undefined, limit: number) =>
  names(engine, taskQueuesPk(namespace), after, limit);
