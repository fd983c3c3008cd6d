import { shardOf } from '../model/ids.ts';
import { storableInstant } from '../model/instant.ts';
import type { RunClass, RunId } from '../model/run.ts';
import type { ScheduleId } from '../model/schedule.ts';
import type { Key } from '../ports/table.ts';

/**
 * Every key of the table. A partition key begins with the verbatim namespace, whose alphabet has no `#`;
 * step ids, the only free text, stand last. So no two things share a key.
 */
export const FORMAT = 1;
export const HEAD = 'head';

export const runPk = (run: RunId): string => `${run.namespace}#run#${run.runId}`;
export const headKey = (run: RunId): Key => ({ pk: runPk(run), sk: HEAD });

export const stepPrefix = (incarnation: string, generation: number): string => `step#${incarnation}#${generation}#`;
export const stepSk = (incarnation: string, generation: number, stepId: string): string =>
  stepPrefix(incarnation, generation) + stepId;
export const packSk = (incarnation: string, packId: string, part: number): string =>
  `pack#${incarnation}#${packId}#${part}`;
export const dataSk = (incarnation: string, name: string): string => `data#${incarnation}#${name}`;
export const inboxPrefix = (incarnation: string): string => `inbox#${incarnation}#`;

export const schedulePk = ({ namespace, scheduleId }: ScheduleId): string => `${namespace}#schedule#${scheduleId}`;
export const SCHEDULE = 'schedule';
export const scheduleKey = (schedule: ScheduleId): Key => ({ pk: schedulePk(schedule), sk: SCHEDULE });
/** Inputs that are too large for the schedule itself, and what became of its fires. */
export const scheduleInputPrefix = (generation: string): string => `input#${generation}#`;
export const firePrefix = (generation: string): string => `fire#${generation}#`;

export const workersPk = (namespace: string): string => `${namespace}#workers`;
export const deadLettersPk = (namespace: string): string => `${namespace}#dead`;
export const taskQueuesPk = (namespace: string): string => `${namespace}#queues`;
export const NAMESPACES_PK = '#namespaces';
/** State of the whole engine. */
export const ENGINE_PK = '#engine';

export const blobPrefix = (run: RunId, incarnation: string): string => `${run.namespace}/${run.runId}/${incarnation}/`;

/** Thirteen digits, so that they sort as text; what is later than they reach counts as the last of them. */
export const timeKey = (ms: number): string => String(storableInstant(ms)).padStart(13, '0');

export const dueHash = (shard: number): string => `due#${shard}`;
export const dueAttributes = (id: string, at: number, shards: number): { dk: string; ds: string } => ({
  dk: dueHash(shardOf(id, shards)),
  ds: timeKey(at),
});

/** Schedules have a class of their own, so that they never stand among runs. */
export type ListClass = RunClass | 'SCHEDULE';
export const listHash = (namespace: string, listClass: ListClass, shard: number): string =>
  `${namespace}#${listClass}#${shard}`;
export const listRange = (createdAt: number, id: string): string => timeKey(createdAt) + id;

/** Back from an index row's partition key; null if it is no run's. */
export function parseRunPk(pk: string): RunId | null {
  const [, namespace, runId] = /^([^#]+)#run#([^#]+)$/.exec(pk) ?? [];
  return namespace === undefined || runId === undefined ? null : { namespace, runId };
}

export function parseWorkersPk(pk: string): string | null {
  return /^([^#]+)#workers$/.exec(pk)?.[1] ?? null;
}

export function parseSchedulePk(pk: string): ScheduleId | null {
  const [, namespace, scheduleId] = /^([^#]+)#schedule#([^#]+)$/.exec(pk) ?? [];
  return namespace === undefined || scheduleId === undefined ? null : { namespace, scheduleId };
}
