import type { Worker, WorkerStatus } from '../model/worker.ts';
import type { Condition } from '../ports/table.ts';
import type { Engine } from './engine.ts';
import { dueAttributes, workersPk } from './keys.ts';
import { sureWrite } from './sure-write.ts';
import { decodeWorker, encodeRunIds, encodeWorker } from './worker-item.ts';

const key = (namespace: string, workerId: string) => ({ pk: workersPk(namespace), sk: workerId });

/** Ids are minted, so the put needs no condition; its due row is how a silent worker is found. */
export async function createWorker(engine: Engine, worker: Worker): Promise<void> {
  const item = {
    ...encodeWorker(worker),
    ...dueAttributes(worker.workerId, worker.expiresAt, engine.config.dueShards),
  };
  await sureWrite(engine, () => engine.table.put(item));
}

export async function readWorker(engine: Engine, namespace: string, workerId: string): Promise<Worker | null> {
  const { item } = await engine.table.get(key(namespace, workerId), { consistent: true });
  return item === null ? null : decodeWorker(item);
}

export interface Heartbeat {
  readonly runs: readonly string[];
  readonly activeCount: number;
  readonly completedDelta: number;
  readonly failedDelta: number;
}

/** How long a worker that is gone is still shown. */
const KEPT_OFFLINE_MS = 86_400_000;

const inStatus = (...statuses: readonly WorkerStatus[]): Condition => ({ op: 'in', attr: 'st', values: statuses });

/** One write however many runs it keeps alive; the due row is left to the watchdog. Null if the worker is gone or offline. */
export async function beatWorker(
  engine: Engine,
  namespace: string,
  workerId: string,
  beat: Heartbeat,
): Promise<Worker | null> {
  const now = engine.clock.now();
  const result = await sureWrite(engine, () =>
    engine.table.update(
      key(namespace, workerId),
      {
        set: {
          hb: now,
          ex: now + engine.config.workerStaleMs,
          ac: beat.activeCount,
          ...(beat.runs.length > 0 ? { rn: encodeRunIds(beat.runs) } : {}),
        },
        add: { nc: beat.completedDelta, nf: beat.failedDelta },
        remove: beat.runs.length > 0 ? [] : ['rn'],
      },
      inStatus('ONLINE', 'DRAINING'),
    ),
  );
  return result.ok ? decodeWorker(result.item) : null;
}

export async function drainWorker(engine: Engine, namespace: string, workerId: string): Promise<boolean> {
  const result = await sureWrite(engine, () =>
    engine.table.update(key(namespace, workerId), { set: { st: 'DRAINING' } }, inStatus('ONLINE', 'DRAINING')),
  );
  return result.ok;
}

/** Its runs are no longer its own from here on. It keeps its due row until they have been given to others. */
export async function offlineWorker(
  engine: Engine,
  worker: Worker,
  onlyIfSilentSince?: number,
): Promise<Worker | null> {
  const now = engine.clock.now();
  const condition = inStatus('ONLINE', 'DRAINING', 'OFFLINE');
  const result = await sureWrite(engine, () =>
    engine.table.update(
      key(worker.namespace, worker.workerId),
      {
        set: { st: 'OFFLINE', ...dueAttributes(worker.workerId, now, engine.config.dueShards) },
        setIfMissing: { c2: now, ttl: Math.ceil((now + KEPT_OFFLINE_MS) / 1000) },
      },
      onlyIfSilentSince === undefined
        ? condition
        : { op: 'and', of: [condition, { op: '=', attr: 'hb', value: onlyIfSilentSince }] },
    ),
  );
  return result.ok ? decodeWorker(result.item) : null;
}

/** Nothing is left to recover: it leaves the due index. */
export async function settleWorker(engine: Engine, worker: Worker): Promise<void> {
  await sureWrite(engine, () =>
    engine.table.update(key(worker.namespace, worker.workerId), { remove: ['dk', 'ds', 'rn'] }, inStatus('OFFLINE')),
  );
}

export async function pushWorkerDue(engine: Engine, worker: Worker): Promise<void> {
  await sureWrite(engine, () =>
    engine.table.update(
      key(worker.namespace, worker.workerId),
      { set: dueAttributes(worker.workerId, worker.expiresAt, engine.config.dueShards) },
      { op: 'and', of: [inStatus('ONLINE', 'DRAINING'), { op: '>=', attr: 'ex', value: worker.expiresAt }] },
    ),
  );
}

/** In order of registration. */
export async function queryWorkers(
  engine: Engine,
  namespace: string,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly workers: readonly Worker[]; readonly next: string | null }> {
  const { items, next } = await engine.table.query({
    pk: workersPk(namespace),
    limit: page.limit,
    ...(page.after === undefined ? {} : { after: page.after }),
  });
  const now = Math.floor(engine.clock.now() / 1000);
  return { workers: items.filter((item) => !((item.ttl as number) <= now)).map(decodeWorker), next };
}
