import { itemSize } from '../model/item-size.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import { STEP_KINDS, type Step, type StepAttempt } from '../model/step.ts';
import { NOTHING_TOLD, type Trace } from '../model/trace.ts';
import type { Item, Key, Value } from '../ports/table.ts';
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

type Attributes = Record<string, Value>;

/** A step's attributes without its key: the same in an item of its own and in a packed chunk. */
export function encodeStep(step: Step): Attributes {
  const { pk: _pk, sk: _sk, ttl: _ttl, ...attributes } = itemOf({ pk: '', sk: '' }, step, 0);
  return attributes;
}

/** What says nothing is left out: every step of every run stores the rest for as long as it is kept. */
function itemOf({ pk, sk }: Key, step: Step, ttl: number): Item & Attributes {
  const { stepId, status, epoch, writeId, createdAt, writeUnits } = step;
  const to: Item & Attributes = {
    pk,
    sk,
    ttl,
    v: FORMAT,
    id: stepId,
    st: status,
    ep: epoch,
    w: writeId,
    c0: createdAt,
    u: writeUnits,
  };
  if (step.kind !== 'FUNCTION') to['kd'] = step.kind;
  if (step.attempt !== 1) to['at'] = step.attempt;
  if (step.leaseToken !== null) to['lt'] = step.leaseToken;
  writeTraces(to, step);
  if (step.input !== null) to['in'] = encodePayload(step.input);
  if (step.inputDigest !== null) to['ih'] = step.inputDigest;
  if (step.retryPolicy !== null) to['rp'] = encodePolicy(step.retryPolicy);
  if (step.parentStepId !== null) to['ps'] = step.parentStepId;
  if (step.parallelGroup !== null) to['pg'] = step.parallelGroup;
  if (step.childRunId !== null) to['ch'] = step.childRunId;
  if (step.childType !== null) to['ct'] = step.childType;
  if (step.startedAt !== step.createdAt) to['c1'] = step.startedAt;
  if (step.failedAttempts.length > 0) to['fa'] = step.failedAttempts.map(encodeAttempt);
  if (step.readUnits !== 0) to['ru'] = step.readUnits;
  writeOutcome(to, step);
  return to;
}

function writeOutcome(to: Attributes, step: Step): void {
  switch (step.status) {
    case 'RUNNING':
      return;
    case 'PENDING':
      to['nr'] = step.nextRetryAt;
      to['err'] = encodeFailure(step.error);
      return;
    case 'SLEEPING':
      to['wk'] = step.wakeAt;
      return;
    case 'COMPLETED':
      to['c2'] = step.finishedAt;
      if (step.output !== null) to['out'] = encodePayload(step.output);
      return;
    case 'FAILED':
      to['c2'] = step.finishedAt;
      to['err'] = encodeFailure(step.error);
  }
}

/** The recorder's own trace in attributes, so that completing a begun step need not know it; the others as a list. */
function writeTraces(to: Attributes, { epoch, traces }: Step): void {
  const own = traces.find((trace) => trace.epoch === epoch);
  if (own !== undefined) writeOwn(to, own);
  if (traces.length > (own === undefined ? 0 : 1)) {
    to['tr'] = traces.filter((trace) => trace !== own).map(encodeTrace);
  }
}

function writeOwn(to: Attributes, { position, seen, slept, base, order }: Trace): void {
  if (position !== null) to['po'] = position;
  if (seen !== null) to['se'] = seen;
  if (slept !== 0) to['sl'] = slept;
  if (base.order !== 0) {
    to['bo'] = base.order;
    to['be'] = base.epoch;
  }
  if (order !== null) to['or'] = order;
}

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
  // Not spread into a new object: with this many properties that takes many times as long.
  return Object.assign(facts, decodeState(read));
}

function decodeState(read: AttributeReader) {
  const status = read.oneOf('st', RECORDED_STATUSES);
  switch (status) {
    case 'RUNNING':
      return { status };
    case 'PENDING':
      return { status, nextRetryAt: read.number('nr'), error: decodeFailure(read, 'err') };
    case 'SLEEPING':
      return { status, wakeAt: read.number('wk') };
    case 'COMPLETED':
      return { status, finishedAt: read.number('c2'), output: decodePayload(read.value('out')) };
    case 'FAILED':
      return { status, finishedAt: read.number('c2'), error: decodeFailure(read, 'err') };
  }
}

/** The item of a step, and what it costs to write: that is counted in it, too. */
export function stepItem(key: Key, step: Step, ttl: number): { readonly item: Item; readonly units: number } {
  const item = itemOf(key, step, ttl);
  const units = Math.ceil(itemSize(item) / 1024);
  (item as Attributes)['u'] = step.writeUnits + units;
  return { item, units };
}
