import { shardOf } from '../model/ids.ts';
import type { Schedule, ScheduleConfig, ScheduleId, ScheduleInput } from '../model/schedule.ts';
import type { Condition } from '../ports/table.ts';
import { UnreadableItemError } from './attributes.ts';
import type { Engine } from './engine.ts';
import { dueAttributes, listHash, listRange, scheduleKey } from './keys.ts';
import { type ListedRows, listRows } from './list-rows.ts';
import {
  decodeSchedule,
  encodeConfig,
  encodeInput,
  encodeSchedule,
  encodeState,
  type ScheduleState,
  STATE_ATTRIBUTES,
} from './schedule-item.ts';
import { sureWrite } from './sure-write.ts';

const dueOf = (engine: Engine, { namespace, scheduleId }: ScheduleId, at: number) =>
  dueAttributes(`${namespace}#${scheduleId}`, at, engine.config.dueShards);

/** The loser learns which schedule was first. */
export async function putSchedule(
  engine: Engine,
  schedule: Schedule,
): Promise<{ readonly created: boolean; readonly schedule: Schedule }> {
  const { namespace, scheduleId, createdAt, dueAt } = schedule;
  const item = {
    ...encodeSchedule(schedule),
    ...(dueAt === null ? {} : dueOf(engine, schedule, dueAt)),
    lk: listHash(namespace, 'SCHEDULE', shardOf(scheduleId, engine.config.listShards)),
    ls: listRange(createdAt, scheduleId),
  };
  const result = await sureWrite(engine, () => engine.table.put(item, { op: 'missing', attr: 'pk' }));
  if (result.ok || result.current === null) return { created: true, schedule };
  const current = decodeSchedule(result.current);
  return { created: current.generation === schedule.generation, schedule: current };
}

export async function readSchedule(engine: Engine, id: ScheduleId): Promise<Schedule | null> {
  const { item } = await engine.table.get(scheduleKey(id), { consistent: true });
  return item === null ? null : decodeSchedule(item);
}

export interface ScheduleChange {
  readonly state?: ScheduleState;
  /** By people: counts as a revision. */
  readonly config?: ScheduleConfig;
  readonly input?: ScheduleInput | null;
  readonly updatedAt?: number;
  /** The due row: moved to this time, taken out (null), or left as it is. */
  readonly due: number | null | 'keep';
}

export type ScheduleWrite =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly current: Schedule | null };

const unchanged = ({ generation, writes }: Schedule): Condition => ({
  op: 'and',
  of: [
    { op: '=', attr: 'gen', value: generation },
    { op: '=', attr: 'wr', value: writes },
  ],
});

/**
 * The one way a schedule is changed after its creation: conditional on nobody having written it since it was read, and
 * stamped with a write id so that an ambiguous write is recognised as our own.
 */
export async function writeSchedule(engine: Engine, seen: Schedule, change: ScheduleChange): Promise<ScheduleWrite> {
  const writeId = engine.ids.writeId();
  const state = change.state ?? {};
  const encoded = encodeState(state);
  const names = Object.keys(state).flatMap(
    (name) => STATE_ATTRIBUTES[name as keyof ScheduleState] as readonly string[],
  );
  const set = Object.fromEntries(names.flatMap((name) => (encoded[name] === undefined ? [] : [[name, encoded[name]]])));
  const removesInput = change.input === null;
  const result = await sureWrite(engine, () =>
    engine.table.update(
      scheduleKey(seen),
      {
        set: {
          ...set,
          ...(change.config === undefined ? {} : { cfg: encodeConfig(change.config) }),
          ...(change.input ? { in: encodeInput(change.input) } : {}),
          ...(change.updatedAt === undefined ? {} : { c1: change.updatedAt }),
          ...(typeof change.due === 'number' ? dueOf(engine, seen, change.due) : {}),
          wr: seen.writes + 1,
          w: writeId,
        },
        add: change.updatedAt === undefined ? {} : { rev: 1 },
        remove: [
          ...names.filter((name) => encoded[name] === undefined),
          ...(removesInput ? ['in'] : []),
          ...(change.due === null ? ['dk', 'ds'] : []),
        ],
      },
      unchanged(seen),
    ),
  );
  if (result.ok) return { ok: true, schedule: decodeSchedule(result.item) };
  const current = result.current === null ? null : decodeSchedule(result.current);
  return current?.writeId === writeId ? { ok: true, schedule: current } : { ok: false, current };
}

/** False if it was written since it was read. */
export async function removeSchedule(engine: Engine, seen: Schedule): Promise<boolean> {
  const result = await sureWrite(engine, () => engine.table.delete(scheduleKey(seen), unchanged(seen)));
  // Nobody else removes this generation without having read this write of it: then it is gone all the same.
  return result.ok || result.current === null;
}

/** Newest first. Rows are hints: a schedule is listed for what its item says. */
export async function listSchedules(
  engine: Engine,
  namespace: string,
  before: string | undefined,
  limit: number,
): Promise<{ readonly schedules: readonly Schedule[] } & Pick<ListedRows, 'next' | 'looked'>> {
  const { keys, next, looked } = await listRows(engine, { namespace, classes: ['SCHEDULE'] }, before, limit);
  const { items } = keys.length === 0 ? { items: [] } : await engine.table.batchGet(keys);
  const found = new Map<string, Schedule>();
  for (const item of items) {
    try {
      found.set(item.pk, decodeSchedule(item));
    } catch (error) {
      if (!(error instanceof UnreadableItemError)) throw error;
      engine.telemetry.log('error', 'a schedule cannot be read', { pk: item.pk, error: error.message });
    }
  }
  return { schedules: keys.flatMap(({ pk }) => found.get(pk) ?? []), next, looked };
}

/** Where the list goes on after this one. */
export const schedulePlace = ({ createdAt, scheduleId }: Schedule): string => listRange(createdAt, scheduleId);
