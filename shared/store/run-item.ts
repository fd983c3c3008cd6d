import { type Failure, failure } from '../model/failure.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import type { History, Run, RunStatus } from '../model/run.ts';
import type { Item, Value } from '../ports/table.ts';
import { FORMAT, parseRunPk } from './keys.ts';
import { decodePayload } from './payloads.ts';

/** Attribute names are short because an update costs the head's whole size, and every run stores them for 30 days. */
export function decodeRun(item: Item): Run {
  if (item.v !== FORMAT) throw new Error(`run ${item.pk} has format ${String(item.v)}; this version reads ${FORMAT}`);
  const id = parseRunPk(item.pk);
  if (id === null) throw new Error(`${item.pk} is not a run`);
  const number = (name: string, fallback = 0): number => (item[name] as number | undefined) ?? fallback;
  const text = (name: string): string | null => (item[name] as string | undefined) ?? null;
  const parent = item.par as readonly [string, string, string] | undefined;
  const facts = {
    ...id,
    incarnation: item.inc as string,
    workflowType: item.typ as string,
    version: item.ver as string,
    taskQueue: item.tq as string,
    externalId: text('ext'),
    scheduleId: text('sch'),
    parent: parent === undefined ? null : { runId: parent[0], incarnation: parent[1], stepId: parent[2] },
    children: item.kids === true,
    retryPolicy: decodePolicy(item.rp),
    input: decodePayload(item.in),
    createdAt: number('c0'),
    startedAt: (item.c1 as number | undefined) ?? null,
    epoch: number('ep'),
    attempts: number('att', 1),
    stalls: number('stl'),
    resends: number('rs'),
    steps: number('n'),
    history: decodeHistory(item),
    inbox: number('ib'),
    blobs: item.bl === true,
    cost: { writeUnits: number('cw'), readUnits: number('cr'), queueCalls: number('cq') },
    writeId: item.w as string,
    dueAt: item.ds === undefined ? null : Number(item.ds),
  };
  const status = item.st as RunStatus;
  const ended = () => ({ finishedAt: number('c2'), expiresAt: number('ttl') * 1000 });
  switch (status) {
    case 'PENDING':
    case 'SLEEPING':
      return { ...facts, status, availableAt: number('av') };
    case 'RUNNING':
      return {
        ...facts,
        status,
        lease: { until: number('lu'), owner: text('lo') ?? '', token: text('lt') ?? '', session: text('lse') },
      };
    case 'COMPLETED':
      return { ...facts, status, ...ended(), output: decodePayload(item.out) };
    case 'FAILED':
      return { ...facts, status, ...ended(), error: decodeFailure(item.err), wholeError: decodePayload(item.errx) };
    case 'CANCELLED':
      return { ...facts, status, ...ended(), reason: text('why') };
  }
}

function decodeHistory(item: Item): History {
  const packs = ((item.hp as string | undefined) ?? '').split(',').filter(Boolean);
  return {
    generation: (item.hg as number | undefined) ?? 0,
    packs: packs.map((pack) => {
      const [epoch, parts] = pack.split('.').map(Number);
      return { epoch: epoch!, parts: parts! };
    }),
    packedSteps: (item.hn as number | undefined) ?? 0,
    safeUntil: (item.hs as number | undefined) ?? (item.c0 as number),
  };
}

export const encodePacks = (packs: History['packs']): string =>
  packs.map((pack) => `${pack.epoch}.${pack.parts}`).join(',');

export const encodePolicy = (policy: RetryPolicy): Value => JSON.stringify(policy);
export const decodePolicy = (value: Value | undefined): RetryPolicy | null =>
  typeof value === 'string' ? (JSON.parse(value) as RetryPolicy) : null;

export const encodeFailure = (error: Failure): Value => JSON.stringify(error);
export const decodeFailure = (value: Value | undefined): Failure =>
  typeof value === 'string' ? (JSON.parse(value) as Failure) : failure({ message: 'unknown error' });
