import type { Worker, WorkerStatus } from '../model/worker.ts';
import type { Item, Value } from '../ports/table.ts';
import { FORMAT, parseWorkersPk, workersPk } from './keys.ts';

/** Sixteen bytes a run keep a heartbeat with a hundred runs within two write units. */
export const encodeRunIds = (runs: readonly string[]): Uint8Array =>
  new Uint8Array(Buffer.from(runs.map((id) => id.replaceAll('-', '')).join(''), 'hex'));

export function decodeRunIds(value: Value | undefined): string[] {
  if (!(value instanceof Uint8Array)) return [];
  const hex = Buffer.from(value).toString('hex');
  return (hex.match(/.{32}/g) ?? []).map(
    (h) => `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`,
  );
}

/** What registration decides and heartbeats leave alone, as one text. */
type Fixed = Pick<
  Worker,
  | 'name'
  | 'hostname'
  | 'pid'
  | 'version'
  | 'workflowTypes'
  | 'labels'
  | 'maxConcurrent'
  | 'queueConcurrencyLimit'
  | 'workflowTypeConcurrency'
>;

export function encodeWorker(worker: Worker): Item {
  const fixed: Fixed = {
    name: worker.name,
    hostname: worker.hostname,
    pid: worker.pid,
    version: worker.version,
    workflowTypes: worker.workflowTypes,
    labels: worker.labels,
    maxConcurrent: worker.maxConcurrent,
    queueConcurrencyLimit: worker.queueConcurrencyLimit,
    workflowTypeConcurrency: worker.workflowTypeConcurrency,
  };
  return {
    pk: workersPk(worker.namespace),
    sk: worker.workerId,
    v: FORMAT,
    tq: worker.taskQueue,
    fx: JSON.stringify(fixed),
    st: worker.status,
    c0: worker.registeredAt,
    hb: worker.heartbeatAt,
    ex: worker.expiresAt,
    ...(worker.deregisteredAt === null ? {} : { c2: worker.deregisteredAt }),
    ...(worker.runs.length === 0 ? {} : { rn: encodeRunIds(worker.runs) }),
    ac: worker.activeCount,
    nc: worker.completed,
    nf: worker.failed,
  };
}

export function decodeWorker(item: Item): Worker {
  if (item.v !== FORMAT)
    throw new Error(`worker ${item.sk} has format ${String(item.v)}; this version reads ${FORMAT}`);
  const fixed = JSON.parse(item.fx as string) as Fixed;
  return {
    ...fixed,
    namespace: parseWorkersPk(item.pk)!,
    workerId: item.sk,
    taskQueue: item.tq as string,
    status: item.st as WorkerStatus,
    registeredAt: item.c0 as number,
    heartbeatAt: item.hb as number,
    expiresAt: item.ex as number,
    deregisteredAt: (item.c2 as number | undefined) ?? null,
    runs: decodeRunIds(item.rn),
    activeCount: (item.ac as number | undefined) ?? 0,
    completed: (item.nc as number | undefined) ?? 0,
    failed: (item.nf as number | undefined) ?? 0,
  };
}
