import { type Failure, summary } from '../model/failure.ts';
import { shardOf } from '../model/ids.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import type { EndedRun, OpenRun, Parent, Run, RunId, RunningRun } from '../model/run.ts';
import type { StoredPayload } from '../model/stored-payload.ts';
import type { Condition, Item } from '../ports/table.ts';
import { DISPATCH_GRACE_MS, timerFor } from './dispatch.ts';
import type { Engine } from './engine.ts';
import { dueAttributes, FORMAT, HEAD, listHash, listRange, runPk, timeKey } from './keys.ts';
import { encodePayload } from './payloads.ts';
import { type HeadChange, type HeadWrite, writeHead } from './run-head.ts';
import { decodeRun, encodeFailure, encodePolicy } from './run-item.ts';
import { sureWrite } from './sure-write.ts';

/** Steps outlive the retention by this much, so that only runs older than it need their history looked after. */
export const HISTORY_SLACK_MS = 7 * 86_400_000;

export interface NewRun extends RunId {
  readonly incarnation: string;
  readonly workflowType: string;
  readonly version: string;
  readonly taskQueue: string;
  readonly externalId: string | null;
  readonly fired: { readonly scheduleId: string; readonly fireAt: number; readonly tells: boolean } | null;
  readonly parent: Parent | null;
  readonly retryPolicy: RetryPolicy | null;
  readonly input: StoredPayload | null;
  readonly createdAt: number;
  readonly availableAt: number;
  readonly spentWriteUnits: number;
}

/** Everything about idempotency is in this one conditional put; the loser learns which run was first. */
export async function createRun(
  engine: Engine,
  run: NewRun,
): Promise<{ readonly created: boolean; readonly run: Run }> {
  const item: Item = {
    pk: runPk(run),
    sk: HEAD,
    v: FORMAT,
    inc: run.incarnation,
    st: 'PENDING',
    typ: run.workflowType,
    ver: run.version,
    tq: run.taskQueue,
    ...(run.externalId === null ? {} : { ext: run.externalId }),
    ...(run.fired === null ? {} : { sch: run.fired.scheduleId, sf: run.fired.fireAt }),
    ...(run.fired?.tells === true ? { sn: true } : {}),
    ...(run.parent === null ? {} : { par: [run.parent.runId, run.parent.incarnation, run.parent.stepId] }),
    ...(run.retryPolicy === null ? {} : { rp: encodePolicy(run.retryPolicy) }),
    ...(run.input === null ? {} : { in: encodePayload(run.input) }),
    ...(run.input?.at === 'blob' ? { bl: true } : {}),
    c0: run.createdAt,
    ...(run.availableAt - run.createdAt > HISTORY_SLACK_MS ? { hs: run.availableAt } : {}),
    av: run.availableAt,
    ...timed(timerFor(engine, run.availableAt)).set,
    ep: 0,
    cw: 3 + run.spentWriteUnits,
    cq: 3,
    w: run.incarnation,
    ...dueAttributes(run.runId, run.availableAt + DISPATCH_GRACE_MS, engine.config.dueShards),
    lk: listHash(run.namespace, 'OPEN', shardOf(run.runId, engine.config.listShards)),
    ls: listRange(run.createdAt, run.runId),
  };
  const result = await sureWrite(engine, () =>
    engine.table.put(item, {
      op: 'or',
      of: [
        { op: 'missing', attr: 'pk' },
        { op: '<=', attr: 'ttl', value: Math.floor(engine.clock.now() / 1000) },
      ],
    }),
  );
  if (result.ok || result.current === null) return { created: true, run: decodeRun(item) };
  const current = decodeRun(result.current);
  return { created: current.incarnation === run.incarnation, run: current };
}

export interface Claim {
  readonly owner: string;
  readonly token: string;
  readonly session: string | null;
}

/**
 * One update for a run that waits and whose time has come. The due row stays: it is early rather than late, and the
 * watchdog moves it if the run is still held then. Of a run that was dispatched again it may be far ahead: then it
 * comes nearer in the same write, or a crash right after it would be found late.
 */
export function claimHead(
  engine: Engine,
  run: RunId & { readonly incarnation: string; readonly resends: number },
  claim: Claim,
  now: number,
): Promise<HeadWrite> {
  return writeHead(engine, run, {
    transition: 'claim',
    fence: { incarnation: run.incarnation, epoch: null },
    status: 'RUNNING',
    add: { ep: 1 },
    set: {
      lu: now + engine.config.leaseMs,
      lo: claim.owner,
      lt: claim.token,
      ...(claim.session === null ? {} : { lse: claim.session }),
      rs: 0,
    },
    setIfMissing: { c1: now },
    remove: claim.session === null ? ['av', 'lse'] : ['av'],
    due: run.resends > 0 ? now + engine.config.leaseMs : 'keep',
    conditions: [
      { op: '<=', attr: 'av', value: now },
      { op: 'missing', attr: 'gate' },
    ],
    isOwn: (current) => current.status === 'RUNNING' && current.lease.token === claim.token,
  });
}

/** What goes when an owner puts a run down; nothing of its own is under way any more, so nothing is left to check. */
const LEASE_ATTRIBUTES = ['lu', 'lo', 'lt', 'lse'] as const;
const PUT_DOWN = [...LEASE_ATTRIBUTES, 'hk'] as const;

/** `steps` is how many are recorded by now: more than before is progress. */
export const renewHead = (engine: Engine, run: RunningRun, now: number, steps: number): Promise<HeadWrite> =>
  writeHead(engine, run, {
    transition: 'renew',
    fence: run,
    status: 'RUNNING',
    set: { lu: now + engine.config.leaseMs, ...(steps > run.steps ? { n: steps, stl: 0 } : {}) },
    due: 'keep',
  });

/** A run woken before its time leaves its timer armed: the head says so to whoever has it next. */
const timed = (timerAt: number | null) =>
  timerAt === null ? { set: {}, remove: ['tm'] } : { set: { tm: timerAt }, remove: [] };

export interface Wait {
  readonly at: number;
  /** If a timer was set for it. */
  readonly timerAt: number | null;
  readonly steps: number;
  /** Suspending loses to an arrival nobody has read yet. */
  readonly inboxRead?: number | undefined;
  readonly idle?: number | undefined;
}

/** Only what runs idle pays for the count. */
const idleCount = ({ idle = 0 }: Wait) => (idle === 0 ? {} : { idl: idle });
const putDown = ({ idle = 0 }: Wait): readonly string[] => (idle === 0 ? [...PUT_DOWN, 'idl'] : PUT_DOWN);

export function sleepHead(engine: Engine, run: RunningRun, wait: Wait): Promise<HeadWrite> {
  const timer = timed(wait.timerAt);
  return writeHead(engine, run, {
    transition: 'sleep',
    fence: run,
    status: 'SLEEPING',
    set: { av: wait.at, ...timer.set, n: Math.max(run.steps, wait.steps), stl: 0, ...idleCount(wait) },
    remove: [...putDown(wait), ...timer.remove],
    spent: { queueCalls: 3 },
    ...dueBy(run, wait.at + DISPATCH_GRACE_MS, inboxUnread(wait)),
  });
}

/** Suspending loses to an arrival that nobody has read: nothing slips between the look and the sleep. */
function inboxUnread({ inboxRead }: Wait): readonly Condition[] {
  if (inboxRead === undefined) return [];
  return [inboxRead === 0 ? { op: 'missing', attr: 'ib' } : { op: '=', attr: 'ib', value: inboxRead }];
}

/**
 * A row that comes up when the grace of a cancellation ends, if that is earlier. One asked for since the run was read
 * makes the write fail: else the run could be put down for years, and nobody would look when it must end.
 */
function dueBy(run: Run, at: number, conditions: readonly Condition[] = []): Pick<HeadChange, 'due' | 'conditions'> {
  if (run.cancelAt !== null) return { due: Math.min(at, run.cancelAt), conditions };
  return { due: at, conditions: [...conditions, { op: 'missing', attr: 'cx' }] };
}

/** Back to PENDING for a later attempt of a step, or of the whole function (which counts as an attempt of the run). */
export function retryHead(
  engine: Engine,
  run: RunningRun,
  wait: Wait & { readonly attempts: number },
): Promise<HeadWrite> {
  const timer = timed(wait.timerAt);
  return writeHead(engine, run, {
    transition: 'retry',
    fence: run,
    status: 'PENDING',
    set: {
      av: wait.at,
      ...timer.set,
      n: Math.max(run.steps, wait.steps),
      att: wait.attempts,
      stl: 0,
      ...idleCount(wait),
    },
    remove: [...putDown(wait), ...timer.remove],
    spent: { queueCalls: 3 },
    ...dueBy(run, wait.at + DISPATCH_GRACE_MS, inboxUnread(wait)),
  });
}

/** Taken from an owner that gave it up or went silent. The epoch moves, so whatever the owner still writes is refused. */
export function reclaimHead(
  engine: Engine,
  run: RunningRun,
  how: {
    readonly transition: 'release' | 'recover';
    readonly at: number;
    readonly timerAt: number | null;
    readonly stalls: number;
    readonly steps: number;
    /** By somebody else, who found it lapsed. */
    readonly isLapsed?: boolean;
  },
): Promise<HeadWrite> {
  const timer = timed(how.timerAt);
  return writeHead(engine, run, {
    transition: how.transition,
    fence: run,
    status: 'PENDING',
    // Never less than before: that steps have vanished is for the next claim to find out.
    set: { av: how.at, ...timer.set, ep: run.epoch + 1, stl: how.stalls, n: Math.max(run.steps, how.steps) },
    remove: [...LEASE_ATTRIBUTES, ...timer.remove],
    spent: { queueCalls: 3 },
    ...dueBy(run, how.at + DISPATCH_GRACE_MS, how.isLapsed === true ? sameLease(run) : []),
  });
}

/** A renewal moves no epoch: whoever found a lease lapsed and then stood still must not take it from a worker that is well. */
const sameLease = (run: Run): readonly Condition[] =>
  run.status === 'RUNNING' ? [{ op: '=', attr: 'lu', value: run.lease.until }] : [];

export type Ending =
  | { readonly status: 'COMPLETED'; readonly output: StoredPayload | null }
  /** Without a `wholeError` the error itself is short enough for the head. */
  | {
      readonly status: 'FAILED';
      readonly error: Failure;
      readonly wholeError: StoredPayload | null;
      readonly takesOver: boolean;
    }
  | { readonly status: 'CANCELLED'; readonly reason: string | null };

/** Whether somebody must hear of its end. */
export const owesWord = (run: Run): boolean => run.parent !== null || run.children || run.tellsSchedule;

/** What is still owed when a run has ended keeps its due row: notifications soon, blobs at the end of retention. */
export function endHead(
  engine: Engine,
  run: Run,
  ending: Ending,
  options: { readonly now: number; readonly spentWriteUnits?: number; readonly blobs?: boolean },
): Promise<HeadWrite> {
  const expiresAt = options.now + engine.config.retentionMs;
  const blobs = run.blobs || options.blobs === true;
  const owes = owesWord(run);
  return writeHead(engine, run, {
    transition: ending.status === 'COMPLETED' ? 'complete' : ending.status === 'FAILED' ? 'fail' : 'cancel',
    fence: run,
    status: ending.status,
    set: {
      c2: options.now,
      ttl: Math.ceil(expiresAt / 1000),
      ...(blobs ? { bl: true } : {}),
      ...(ending.status === 'COMPLETED' && ending.output ? { out: encodePayload(ending.output) } : {}),
      ...(ending.status === 'FAILED'
        ? { err: encodeFailure(ending.wholeError ? summary(ending.error) : ending.error) }
        : {}),
      ...(ending.status === 'FAILED' && ending.wholeError ? { errx: encodePayload(ending.wholeError) } : {}),
      ...(ending.status === 'CANCELLED' || (ending.status === 'FAILED' && ending.takesOver)
        ? { ep: run.epoch + 1 }
        : {}),
      ...(ending.status === 'CANCELLED' && ending.reason !== null ? { why: ending.reason } : {}),
    },
    remove: [...LEASE_ATTRIBUTES, 'av'],
    conditions: ending.status === 'FAILED' && ending.takesOver ? sameLease(run) : [],
    due: owes ? options.now + DISPATCH_GRACE_MS : blobs ? expiresAt : null,
    listed: true,
    spent: { writeUnits: options.spentWriteUnits ?? 0 },
  });
}

/** The notifications are written: only the blobs, if any, still need a row. */
export const settleHead = (engine: Engine, run: EndedRun): Promise<HeadWrite> =>
  writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    due: run.blobs ? run.expiresAt : null,
    unstamped: true,
  });

/** Moves the due row of a run that stays as it is; more resends than before mean that a message follows. */
export const pushDue = (engine: Engine, run: Run, at: number, resends: number): Promise<HeadWrite> =>
  writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    set: { rs: resends },
    ...(resends > run.resends ? { spent: { queueCalls: 1 } } : {}),
    ...dueBy(run, at, [
      run.dueAt === null ? { op: 'missing', attr: 'ds' } : { op: '=', attr: 'ds', value: timeKey(run.dueAt) },
    ]),
  });

/** Blobs were written for this run: its items must outlast them, so the watchdog purges both together. */
export const markBlobs = (engine: Engine, run: Run): Promise<HeadWrite> =>
  writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    set: { bl: true },
    due: 'keep',
    unstamped: true,
  });

/** Whether the run has been put down by its worker, so that an arrival must wake it. */
export const isPutDown = (run: OpenRun): boolean => run.status !== 'RUNNING' && run.epoch > 0;

/** Something arrived from outside: the run looks at its inbox at once, also if it waits for a time to come. */
export const notifyHead = (
  engine: Engine,
  run: OpenRun,
  now: number,
  cancelAt: number | null = null,
): Promise<HeadWrite> => {
  const due = isPutDown(run) ? now + DISPATCH_GRACE_MS : (run.dueAt ?? now);
  return writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    add: { ib: 1 },
    set: { ...(isPutDown(run) ? { av: now } : {}), ...(cancelAt === null ? {} : { cx: cancelAt }) },
    due: isPutDown(run) || cancelAt !== null ? Math.min(due, cancelAt ?? due) : 'keep',
    unstamped: true,
  });
};

/** The run is about to start others that must end with it. */
export const markChildren = (engine: Engine, run: Run): Promise<HeadWrite> =>
  writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    set: { kids: true },
    due: 'keep',
    unstamped: true,
  });

/** From now on the run is gone for everybody; what is left of it is cleared away by the purge that follows. */
export const expireHead = (engine: Engine, run: EndedRun, now: number): Promise<HeadWrite> =>
  writeHead(engine, run, {
    transition: 'touch',
    fence: run,
    status: run.status,
    set: { ttl: Math.floor(now / 1000) },
    due: run.blobs ? now + DISPATCH_GRACE_MS : null,
    unstamped: true,
  });
