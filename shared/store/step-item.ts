import type { RetryPolicy } from '../model/retry-policy.ts';
import { STEP_KINDS, type Step, type StepAttempt } from '../model/step.ts';
import { NOTHING_TOLD, type Trace } from '../model/trace.ts';
import type { Item, Value } from '../ports/table.ts';
import { AttributeReader } from './attributes.ts';
import { FORMAT } from './keys.ts';
import { decodePayload, encodePayload } from './payloads.ts';
import { decodeFailure, encodeFailure, encodePolicy } from './run-item.ts';

const RECORDED_STATUSES = [
  'RUNNING',
  'PENDING',
  'SLEEPING',
  'COMPLETED',
  'FAILED',
] as const satisfies readonly Step['status'][];

/** A step's attributes without its key: the same in an item of its own and in a packed chunk. */
export function encodeStep(step: Step): Record<string, Value> {
  return {
    v: FORMAT,
    id: step.stepId,
    ...(step.kind === 'FUNCTION' ? {} : { kd: step.kind }),
    st: step.status,
    ep: step.epoch,
    w: step.writeId,
    ...(step.attempt === 1 ? {} : { at: step.attempt }),
    ...(step.leaseToken === null ? {} : { lt: step.leaseToken }),
    ...encodeTraces(step),
    ...(step.input === null ? {} : { in: encodePayload(step.input) }),
    ...(step.inputDigest === null ? {} : { ih: step.inputDigest }),
    ...(step.retryPolicy === null ? {} : { rp: encodePolicy(step.retryPolicy) }),
    ...(step.parentStepId === null ? {} : { ps: step.parentStepId }),
    ...(step.parallelGroup === null ? {} : { pg: step.parallelGroup }),
    ...(step.childRunId === null ? {} : { ch: step.childRunId }),
    ...(step.childType === null ? {} : { ct: step.childType }),
    c0: step.createdAt,
    ...(step.startedAt === step.createdAt ? {} : { c1: step.startedAt }),
    ...(step.failedAttempts.length === 0 ? {} : { fa: step.failedAttempts.map(encodeAttempt) }),
    u: step.writeUnits,
    ...(step.readUnits === 0 ? {} : { ru: step.readUnits }),
    ...outcome(step),
  };
}

function outcome(step: Step): Record<string, Value> {
  switch (step.status) {
    case 'RUNNING':
      return {};
    case 'PENDING':
      return { nr: step.nextRetryAt, err: encodeFailure(step.error) };
    case 'SLEEPING':
      return { wk: step.wakeAt };
    case 'COMPLETED':
      return { c2: step.finishedAt, ...(step.output === null ? {} : { out: encodePayload(step.output) }) };
    case 'FAILED':
      return { c2: step.finishedAt, err: encodeFailure(step.error) };
  }
}

/** The recorder's own trace in attributes, so that completing a begun step need not know it; the others as a list. */
function encodeTraces({ epoch, traces }: Step): Record<string, Value> {
  const own = traces.find((trace) => trace.epoch === epoch);
  const others = traces.filter((trace) => trace !== own);
  return {
    ...(own === undefined ? {} : encodeOwn(own)),
    ...(others.length === 0 ? {} : { tr: others.map(encodeTrace) }),
  };
}

const encodeOwn = ({ position, seen, slept, base, order }: Trace): Record<string, Value> => ({
  ...(position === null ? {} : { po: position }),
  ...(seen === null ? {} : { se: seen }),
  ...(slept === 0 ? {} : { sl: slept }),
  ...(base.order === 0 ? {} : { bo: base.order, be: base.epoch }),
  ...(order === null ? {} : { or: order }),
});

function ownTrace(read: AttributeReader): readonly Trace[] {
  if (!read.has('po') && !read.has('se') && !read.has('or')) return [];
  const base = read.has('bo') ? { order: read.number('bo'), epoch: read.number('be') } : NOTHING_TOLD;
  const epoch = read.number('ep');
  const position = read.numberOrNull('po');
  return [
    {
      epoch,
      position,
      seen: read.numberOrNull('se'),
      slept: read.number('sl', 0),
      base,
      order: read.numberOrNull('or'),
    },
  ];
}

const encodeTrace = ({ epoch, position, seen, slept, base, order }: Trace): Value => [
  epoch,
  position,
  seen,
  slept,
  base.order,
  base.epoch,
  order,
];
const decodeTrace = (value: Value): Trace => {
  type Encoded = readonly [number, number | null, number | null, number, number, number, number | null];
  const [epoch, position, seen, slept, baseOrder, baseEpoch, order] = value as Encoded;
  return { epoch, position, seen, slept, base: { order: baseOrder, epoch: baseEpoch }, order };
};

const byEpoch = (a: Trace, b: Trace): number => a.epoch - b.epoch;

const encodeAttempt = (a: StepAttempt): Value => [a.attempt, a.startedAt, a.finishedAt, a.code, a.message];
const decodeAttempt = (value: Value): StepAttempt => {
  const [attempt, startedAt, finishedAt, code, message] = value as readonly [number, number, number, string, string];
  return { attempt, startedAt, finishedAt, code, message };
};

export function decodeStep(item: Readonly<Record<string, Value>>): Step {
  const read = new AttributeReader('a step', item);
  const facts = {
    stepId: read.text('id'),
    kind: read.has('kd') ? read.oneOf('kd', STEP_KINDS) : 'FUNCTION',
    epoch: read.number('ep'),
    writeId: read.text('w'),
    attempt: read.number('at', 1),
    leaseToken: read.textOrNull('lt'),
    traces: [...ownTrace(read), ...read.list('tr').map(decodeTrace)].sort(byEpoch),
    input: decodePayload(read.value('in')),
    inputDigest: read.textOrNull('ih'),
    retryPolicy: read.json<RetryPolicy>('rp'),
    parentStepId: read.textOrNull('ps'),
    parallelGroup: read.textOrNull('pg'),
    childRunId: read.textOrNull('ch'),
    childType: read.textOrNull('ct'),
    createdAt: read.number('c0'),
    startedAt: read.number('c1', read.number('c0')),
    failedAttempts: read.list('fa').map(decodeAttempt),
    writeUnits: read.number('u', 1),
    readUnits: read.number('ru', 0),
  } as const;
  const status = read.oneOf('st', RECORDED_STATUSES);
  switch (status) {
    case 'RUNNING':
      return { ...facts, status };
    case 'PENDING':
      return { ...facts, status, nextRetryAt: read.number('nr'), error: decodeFailure(read, 'err') };
    case 'SLEEPING':
      return { ...facts, status, wakeAt: read.number('wk') };
    case 'COMPLETED':
      return { ...facts, status, finishedAt: read.number('c2'), output: decodePayload(read.value('out')) };
    case 'FAILED':
      return { ...facts, status, finishedAt: read.number('c2'), error: decodeFailure(read, 'err') };
  }
}

export const stepItem = (key: { pk: string; sk: string }, step: Step, ttl: number): Item => ({
  ...key,
  ...encodeStep(step),
  ttl,
});
