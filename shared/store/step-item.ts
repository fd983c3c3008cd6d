import type { Failure } from '../model/failure.ts';
import type { Step, StepAttempt, StepKind } from '../model/step.ts';
import type { Item, Value } from '../ports/table.ts';
import { FORMAT } from './keys.ts';
import { decodePayload, encodePayload } from './payloads.ts';
import { decodeFailure, decodePolicy, encodeFailure, encodePolicy } from './run-item.ts';

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
    ...(step.input === null ? {} : { in: encodePayload(step.input) }),
    ...(step.inputDigest === null ? {} : { ih: step.inputDigest }),
    ...(step.retryPolicy === null ? {} : { rp: encodePolicy(step.retryPolicy) }),
    ...(step.parentStepId === null ? {} : { ps: step.parentStepId }),
    ...(step.parallelGroup === null ? {} : { pg: step.parallelGroup }),
    ...(step.childRunId === null ? {} : { ch: step.childRunId }),
    c0: step.createdAt,
    ...(step.startedAt === step.createdAt ? {} : { c1: step.startedAt }),
    ...(step.failedAttempts.length === 0 ? {} : { fa: step.failedAttempts.map(encodeAttempt) }),
    u: step.writeUnits,
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

const encodeAttempt = (a: StepAttempt): Value => [a.attempt, a.startedAt, a.finishedAt, a.code, a.message];
const decodeAttempt = (value: Value): StepAttempt => {
  const [attempt, startedAt, finishedAt, code, message] = value as readonly [number, number, number, string, string];
  return { attempt, startedAt, finishedAt, code, message };
};

export function decodeStep(item: Readonly<Record<string, Value>>): Step {
  if (item.v !== FORMAT)
    throw new Error(`step ${String(item.id)} has format ${String(item.v)}; this version reads ${FORMAT}`);
  const text = (name: string): string | null => (item[name] as string | undefined) ?? null;
  const facts = {
    stepId: item.id as string,
    kind: (item.kd as StepKind | undefined) ?? 'FUNCTION',
    epoch: item.ep as number,
    writeId: item.w as string,
    attempt: (item.at as number | undefined) ?? 1,
    leaseToken: text('lt'),
    input: decodePayload(item.in),
    inputDigest: text('ih'),
    retryPolicy: decodePolicy(item.rp),
    parentStepId: text('ps'),
    parallelGroup: text('pg'),
    childRunId: text('ch'),
    createdAt: item.c0 as number,
    startedAt: (item.c1 as number | undefined) ?? (item.c0 as number),
    failedAttempts: ((item.fa as readonly Value[] | undefined) ?? []).map(decodeAttempt),
    writeUnits: (item.u as number | undefined) ?? 1,
  };
  const status = item.st as Step['status'];
  const error = (): Failure => decodeFailure(item.err);
  switch (status) {
    case 'RUNNING':
      return { ...facts, status };
    case 'PENDING':
      return { ...facts, status, nextRetryAt: item.nr as number, error: error() };
    case 'SLEEPING':
      return { ...facts, status, wakeAt: item.wk as number };
    case 'COMPLETED':
      return { ...facts, status, finishedAt: item.c2 as number, output: decodePayload(item.out) };
    case 'FAILED':
      return { ...facts, status, finishedAt: item.c2 as number, error: error() };
  }
}

export const stepItem = (key: { pk: string; sk: string }, step: Step, ttl: number): Item => ({
  ...key,
  ...encodeStep(step),
  ttl,
});
