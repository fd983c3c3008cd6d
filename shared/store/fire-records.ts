import { decodeFire, encodeFire, type Fire } from '../model/fire.ts';
import type { Schedule, Skip } from '../model/schedule.ts';
import type { Item } from '../ports/table.ts';
import { AttributeReader, UnreadableItemError } from './attributes.ts';
import type { Engine } from './engine.ts';
import { FORMAT, firePrefix, schedulePk, timeKey } from './keys.ts';
import { HISTORY_SLACK_MS } from './runs.ts';
import { sureWrite } from './sure-write.ts';

/** What became of a fire, or of many that were skipped together. */
export type FireRecord = { readonly decidedAt: number } & (
  | { readonly what: 'fire'; readonly fire: Fire /** Why it has no run. */; readonly error: string | null }
  | { readonly what: 'skip'; readonly skip: Skip }
);

/** The same record again is the same item: whoever goes on with a firing writes it anew. */
export async function putFireRecords(
  engine: Engine,
  schedule: Schedule,
  records: readonly FireRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const prefix = firePrefix(schedule.generation);
  const ttl = Math.ceil((engine.clock.now() + engine.config.retentionMs + HISTORY_SLACK_MS) / 1000);
  const put = records.map((record): Item => {
    const place =
      record.what === 'fire'
        ? `${timeKey(record.fire.at)}#${encodeFire(record.fire)}`
        : `${timeKey(record.skip.to)}#skip#${record.skip.reason}`;
    return {
      pk: schedulePk(schedule),
      sk: prefix + place,
      v: FORMAT,
      c0: record.decidedAt,
      ...(record.what === 'skip' ? { s: JSON.stringify(record.skip) } : { f: encodeFire(record.fire) }),
      ...(record.what === 'fire' && record.error !== null ? { err: record.error } : {}),
      ttl,
    };
  });
  await sureWrite(engine, () => engine.table.batchWrite({ put }));
}

/** Newest first. */
export async function queryFireRecords(
  engine: Engine,
  schedule: Schedule,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly records: readonly FireRecord[]; readonly next: string | null }> {
  const { items, next } = await engine.table.query({
    pk: schedulePk(schedule),
    prefix: firePrefix(schedule.generation),
    reverse: true,
    limit: page.limit,
    ...(page.after === undefined ? {} : { after: page.after }),
  });
  const now = Math.floor(engine.clock.now() / 1000);
  return { records: items.filter((item) => !((item['ttl'] as number) <= now)).map(decodeRecord), next };
}

function decodeRecord(item: Item): FireRecord {
  const read = new AttributeReader(`fire ${item.sk}`, item);
  const skip = read.json<Skip>('s');
  const decidedAt = read.number('c0');
  if (skip !== null) return { what: 'skip', decidedAt, skip };
  const fire = decodeFire(read.text('f'));
  if (fire === null) throw new UnreadableItemError(`${item.pk} ${item.sk} is no fire`);
  return { what: 'fire', decidedAt, fire, error: read.textOrNull('err') };
}
