import { runIdFor } from '../model/ids.ts';
import type { Run } from '../model/run.ts';
import { externalIdOf, type ScheduleId } from '../model/schedule.ts';
import type { Engine } from '../store/engine.ts';
import { type FireRecord, queryFireRecords } from '../store/fire-records.ts';
import { headKey } from '../store/keys.ts';
import { readHeads } from '../store/run-head.ts';
import { requireSchedule } from './get-schedule.ts';
import { invalidPageToken, pageCursor, pageToken } from './page-token.ts';

/** A fire with the run that it started, as far as that is still there; or fires that were skipped. */
export type ShownFire =
  | Extract<FireRecord, { readonly what: 'skip' }>
  | (Extract<FireRecord, { readonly what: 'fire' }> & {
      readonly externalId: string;
      readonly runId: string;
      readonly run: Run | null;
    });

/** Newest first. */
export async function listFires(
  engine: Engine,
  id: ScheduleId,
  page: { readonly pageSize: number; readonly pageToken?: string | undefined },
): Promise<{ readonly fires: readonly ShownFire[]; readonly nextPageToken: string | null }> {
  const schedule = await requireSchedule(engine, id);
  const query = { fires: [id.namespace, id.scheduleId, schedule.generation] };
  const after = pageCursor(query, page.pageToken);
  if (after !== undefined && !after.startsWith('fire#')) throw invalidPageToken();
  const { records, next } = await queryFireRecords(engine, schedule, { after, limit: page.pageSize });
  const idOf = (fire: Extract<FireRecord, { readonly what: 'fire' }>['fire']) => {
    const externalId = externalIdOf(id, fire);
    return { externalId, runId: runIdFor(id.namespace, externalId) };
  };
  const keys = records.flatMap((record) =>
    record.what === 'fire' ? [headKey({ namespace: id.namespace, runId: idOf(record.fire).runId })] : [],
  );
  const distinct = [...new Map(keys.map((key) => [key.pk, key])).values()];
  const runs = await readHeads(engine, distinct);
  const fires = records.map((record): ShownFire => {
    if (record.what === 'skip') return record;
    const ids = idOf(record.fire);
    return { ...record, ...ids, run: runs.get(headKey({ namespace: id.namespace, runId: ids.runId }).pk) ?? null };
  });
  return { fires, nextPageToken: next === null ? null : pageToken(query, next) };
}
