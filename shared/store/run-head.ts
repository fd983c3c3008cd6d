import { shardOf } from '../model/ids.ts';
import { classOf, type Run, type RunId, type RunStatus } from '../model/run.ts';
import { RUN_TRANSITIONS, type RunTransition } from '../model/run-transitions.ts';
import type { Changes, Condition, Key, Value } from '../ports/table.ts';
import { UnreadableItemError } from './attributes.ts';
import type { Engine } from './engine.ts';
import { dueAttributes, headKey, listHash } from './keys.ts';
import { decodeRun } from './run-item.ts';
import { sureWrite } from './sure-write.ts';

/** What a later write to the head must still find there. */
export interface Fence {
  readonly incarnation: string;
  /** Null for a claim: leaving PENDING or SLEEPING is fence enough, and it needs no read before. */
  readonly epoch: number | null;
}

export type HeadWrite = { readonly ok: true; readonly run: Run } | { readonly ok: false; readonly current: Run | null };

export interface HeadChange {
  readonly transition: RunTransition | 'touch';
  readonly fence: Fence;
  readonly status: RunStatus;
  readonly set?: Readonly<Record<string, Value>>;
  readonly setIfMissing?: Readonly<Record<string, Value>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
  /** The due row: moved to this time, taken out (null), or left as it is. */
  readonly due: number | null | 'keep';
  /** Set when the run ends: its row moves to another class of the list index. */
  readonly listed?: boolean;
  readonly conditions?: readonly Condition[];
  /** The write may be repeated without harm, so it leaves the stamp of the one before. */
  readonly unstamped?: boolean;
  /** Besides the write id: whether what beat the condition can only be this write, applied before its answer was lost. */
  readonly isOwn?: (current: Run) => boolean;
  /** Spent on this run since the last write of its head. */
  readonly spent?: { readonly writeUnits?: number; readonly readUnits?: number; readonly queueCalls?: number };
}

const from = (change: HeadChange): readonly RunStatus[] =>
  change.transition === 'touch' ? [change.status] : RUN_TRANSITIONS[change.transition].from;

/**
 * The one way a head is changed after its creation: conditional on incarnation, epoch and the status it leaves,
 * stamped with a write id so that an ambiguous write is recognised as our own.
 */
export async function writeHead(engine: Engine, run: RunId, change: HeadChange): Promise<HeadWrite> {
  const writeId = engine.ids.writeId();
  const due =
    change.due === 'keep' || change.due === null ? {} : dueAttributes(run.runId, change.due, engine.config.dueShards);
  const listed = change.listed
    ? { lk: listHash(run.namespace, classOf(change.status), shardOf(run.runId, engine.config.listShards)) }
    : {};
  const indexUnits = (change.due === 'keep' ? 0 : change.due === null ? 1 : 2) + (change.listed ? 2 : 0);
  const changes: Changes = {
    set: { ...change.set, ...due, ...listed, st: change.status, ...(change.unstamped ? {} : { w: writeId }) },
    ...(change.setIfMissing ? { setIfMissing: change.setIfMissing } : {}),
    add: {
      ...change.add,
      cw: 1 + indexUnits + (change.spent?.writeUnits ?? 0),
      ...(change.spent?.readUnits ? { cr: change.spent.readUnits } : {}),
      ...(change.spent?.queueCalls ? { cq: change.spent.queueCalls } : {}),
    },
    remove: [...(change.remove ?? []), ...(change.due === null ? ['dk', 'ds'] : [])],
  };
  const condition: Condition = {
    op: 'and',
    of: [
      { op: '=', attr: 'inc', value: change.fence.incarnation },
      ...(change.fence.epoch === null ? [] : [{ op: '=', attr: 'ep', value: change.fence.epoch } as const]),
      { op: 'in', attr: 'st', values: from(change) },
      ...(change.conditions ?? []),
    ],
  };
  const result = await sureWrite(engine, () => engine.table.update(headKey(run), changes, condition));
  if (result.ok) return { ok: true, run: decodeRun(result.item) };
  if (result.current === null) return { ok: false, current: null };
  const current = decodeRun(result.current);
  const own = current.writeId === writeId || endsEpoch(change, current) || change.isOwn?.(current) === true;
  return own ? { ok: true, run: current } : { ok: false, current };
}

const BY_HOLDER: readonly HeadChange['transition'][] = ['sleep', 'retry', 'complete', 'fail'];

/** Only the holder of an epoch leaves RUNNING without moving the epoch: then it was us, and others have touched the head since. */
const endsEpoch = (change: HeadChange, current: Run): boolean =>
  BY_HOLDER.includes(change.transition) &&
  change.set?.['ep'] === undefined &&
  current.incarnation === change.fence.incarnation &&
  current.epoch === change.fence.epoch &&
  current.status === change.status;

/** Strong by default: what it answers is a proof of ownership. */
export async function readRun(engine: Engine, run: RunId, options = { consistent: true }): Promise<Run | null> {
  const { item } = await engine.table.get(headKey(run), options);
  return item === null ? null : visible(decodeRun(item), engine.clock.now());
}

/** Those that exist, by partition key. A head that this version cannot read is left out and logged: it must not hide the others. */
export async function readHeads(
  engine: Engine,
  keys: readonly Key[],
  options: { readonly consistent?: boolean } = {},
): Promise<ReadonlyMap<string, Run>> {
  if (keys.length === 0) return new Map();
  const { items } = await engine.table.batchGet(keys, options);
  const now = engine.clock.now();
  const heads = new Map<string, Run>();
  for (const item of items) {
    try {
      const run = visible(decodeRun(item), now);
      if (run !== null) heads.set(item.pk, run);
    } catch (error) {
      if (!(error instanceof UnreadableItemError)) throw error;
      engine.telemetry.log('error', 'a run cannot be read', { pk: item.pk, error: error.message });
    }
  }
  return heads;
}

/** A run past its retention is gone, whether or not the table has removed it yet. */
export const visible = <R extends Run>(run: R, now: number): R | null =>
  'expiresAt' in run && run.expiresAt <= now ? null : run;
