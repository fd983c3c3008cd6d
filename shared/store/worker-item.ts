import { WORKER_STATUSES, type Worker } from '../model/worker.ts';
import type { Item } from '../ports/table.ts';
import { AttributeReader, UnreadableItemError } from './attributes.ts';
import { FORMAT, parseWorkersPk, workersPk } from './keys.ts';

/** Sixteen bytes a run keep a heartbeat with a hundred runs within two write units. */
export const encodeRunIds = (runs: readonly string[]): Uint8Array =>
  new Uint8Array(Buffer.from(runs.map((id) => id.replaceAll('-', '')).join(''), 'hex'));

function decodeRunIds(bytes: Uint8Array | null): string[] {
  const hex = Buffer.from(bytes ?? []).toString('hex');
  return (hex.match(/.{32}/g) ?? []).map(
    (h) => `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`,
  );
}

/** What registration decides and heartbeats leave alone, as one short text: every heartbeat pays for its bytes. */
type Fixed = readonly [
  name: Worker['name'],
  hostname: Worker['hostname'],
  pid: Worker['pid'],
  version: Worker['version'],
  workflowTypes: Worker['workflowTypes'],
  labels: Worker['labels'],
  maxConcurrent: Worker['maxConcurrent'],
  queueConcurrencyLimit: Worker['queueConcurrencyLimit'],
  workflowTypeConcurrency: Worker['workflowTypeConcurrency'],
];

export function encodeWorker(worker: Worker): Item {
  const fixed: Fixed = [
    worker.name,
    worker.hostname,
    worker.pid,
    worker.version,
    worker.workflowTypes,
    worker.labels,
    worker.maxConcurrent,
    worker.queueConcurrencyLimit,
    worker.workflowTypeConcurrency,
  ];
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
  const read = new AttributeReader(`worker ${item.sk}`, item);
  const fixed = read.json<Fixed>('fx');
  const namespace = parseWorkersPk(item.pk);
  if (fixed === null || namespace === null) throw new UnreadableItemError(`${item.pk} ${item.sk} is not a worker`);
  const [name, hostname, pid, version, workflowTypes, labels, maxConcurrent, queueConcurrencyLimit, byType] = fixed;
  return {
    name,
    hostname,
    pid,
    version,
    workflowTypes,
    labels,
    maxConcurrent,
    queueConcurrencyLimit,
    workflowTypeConcurrency: byType,
    namespace,
    workerId: item.sk,
    taskQueue: read.text('tq'),
    status: read.oneOf('st', WORKER_STATUSES),
    registeredAt: read.number('c0'),
    heartbeatAt: read.number('hb'),
    expiresAt: read.number('ex'),
    deregisteredAt: read.numberOrNull('c2'),
    runs: decodeRunIds(read.bytes('rn')),
    activeCount: read.number('ac', 0),
    completed: read.number('nc', 0),
    failed: read.number('nf', 0),
  };
}
