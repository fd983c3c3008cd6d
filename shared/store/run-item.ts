import { type Failure, failure } from '../model/failure.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import { type History, RUN_STATUSES, type Run } from '../model/run.ts';
import type { Item, Value } from '../ports/table.ts';
import { AttributeReader, UnreadableItemError } from './attributes.ts';
import { parseRunPk } from './keys.ts';
import { decodePayload } from './payloads.ts';

/** Attribute names are short because an update costs the head's whole size, and every run stores them for 30 days. */
export function decodeRun(item: Item): Run {
  const read = new AttributeReader(`run ${item.pk}`, item);
  const id = parseRunPk(item.pk);
  if (id === null) throw new UnreadableItemError(`${item.pk} is not a run`);
  const [parentRunId, parentIncarnation, parentStepId] = read.list('par') as readonly string[];
  const due = read.textOrNull('ds');
  const facts = {
    namespace: id.namespace,
    runId: id.runId,
    incarnation: read.text('inc'),
    workflowType: read.text('typ'),
    version: read.text('ver'),
    taskQueue: read.text('tq'),
    externalId: read.textOrNull('ext'),
    scheduleId: read.textOrNull('sch'),
    fireAt: read.numberOrNull('sf'),
    tellsSchedule: read.value('sn') === true,
    parent:
      parentRunId === undefined || parentIncarnation === undefined || parentStepId === undefined
        ? null
        : { runId: parentRunId, incarnation: parentIncarnation, stepId: parentStepId },
    children: read.value('kids') === true,
    retryPolicy: read.json<RetryPolicy>('rp'),
    input: decodePayload(read.value('in')),
    createdAt: read.number('c0'),
    startedAt: read.numberOrNull('c1'),
    epoch: read.number('ep'),
    attempts: read.number('att', 1),
    stalls: read.number('stl', 0),
    idle: read.number('idl', 0),
    resends: read.number('rs', 0),
    steps: read.number('n', 0),
    history: decodeHistory(read),
    inbox: read.number('ib', 0),
    timerAt: read.numberOrNull('tm'),
    cancelAt: read.numberOrNull('cx'),
    blobs: read.value('bl') === true,
    cost: { writeUnits: read.number('cw', 0), readUnits: read.number('cr', 0), queueCalls: read.number('cq', 0) },
    writeId: read.text('w'),
    dueAt: due === null ? null : Number(due),
  };
  // Not spread into a new object: with this many properties that takes thirty times as long.
  return Object.assign(facts, decodeState(read));
}

function decodeState(read: AttributeReader) {
  const status = read.oneOf('st', RUN_STATUSES);
  const ended = () => ({ finishedAt: read.number('c2'), expiresAt: read.number('ttl') * 1000 });
  switch (status) {
    case 'PENDING':
    case 'SLEEPING':
      return { status, availableAt: read.number('av') };
    case 'RUNNING': {
      const lease = {
        until: read.number('lu'),
        owner: read.text('lo'),
        token: read.text('lt'),
        session: read.textOrNull('lse'),
      };
      return { status, lease };
    }
    case 'COMPLETED':
      return { status, ...ended(), output: decodePayload(read.value('out')) };
    case 'FAILED':
      return { status, ...ended(), error: decodeFailure(read, 'err'), wholeError: decodePayload(read.value('errx')) };
    case 'CANCELLED':
      return { status, ...ended(), reason: read.textOrNull('why') };
  }
}

/** Packs are stored as `id.parts`, separated by commas. */
function decodeHistory(read: AttributeReader): History {
  const packs = (read.textOrNull('hp') ?? '').split(',').filter(Boolean);
  return {
    generation: read.number('hg', 0),
    packs: packs.map((pack) => {
      const [id = '', parts] = pack.split('.');
      return { id, parts: Number(parts) };
    }),
    packedSteps: read.number('hn', 0),
    recheck: read.numberOrNull('hk'),
    looseSince: read.number('hl', read.number('hs', read.number('c0'))),
    safeUntil: read.number('hs', read.number('c0')),
  };
}

export const encodePacks = (packs: History['packs']): string =>
  packs.map((pack) => `${pack.id}.${pack.parts}`).join(',');

export const encodePolicy = (policy: RetryPolicy): Value => JSON.stringify(policy);
export const encodeFailure = (error: Failure): Value => JSON.stringify(error);
export const decodeFailure = (read: AttributeReader, name: string): Failure =>
  read.json<Failure>(name) ?? failure({ message: 'unknown error' });
