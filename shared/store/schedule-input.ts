import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { KagziError } from '../model/errors.ts';
import type { Schedule, ScheduleId, ScheduleInput } from '../model/schedule.ts';
import type { Engine } from './engine.ts';
import { FORMAT, scheduleInputPrefix, schedulePk } from './keys.ts';
import { MissingPayloadError, type PayloadText } from './payloads.ts';
import { sureWrite } from './sure-write.ts';

const INLINE_BYTES = 256;
/** It is one item, whatever it deflates to. */
const MAX_INPUT_BYTES = 256 * 1024;

export function checkScheduleInput(text: PayloadText | undefined): void {
  const bytes = Buffer.byteLength(text ?? '', 'utf8');
  if (bytes <= MAX_INPUT_BYTES) return;
  throw new KagziError(
    'PAYLOAD_TOO_LARGE',
    `The input is ${bytes} bytes of JSON; a schedule takes at most ${MAX_INPUT_BYTES}.`,
    { bytes, max_bytes: MAX_INPUT_BYTES },
  );
}

/** Written before the schedule that refers to it, under a name of its own. */
export async function storeScheduleInput(
  engine: Engine,
  schedule: ScheduleId & { readonly generation: string },
  text: PayloadText | undefined,
): Promise<ScheduleInput | null> {
  if (text === undefined) return null;
  if (Buffer.byteLength(text, 'utf8') <= INLINE_BYTES) return { at: 'inline', text };
  const name = engine.ids.writeId();
  const item = {
    pk: schedulePk(schedule),
    sk: scheduleInputPrefix(schedule.generation) + name,
    v: FORMAT,
    b: new Uint8Array(deflateRawSync(text)),
  };
  await sureWrite(engine, () => engine.table.put(item));
  return { at: 'item', name };
}

export async function loadScheduleInput(engine: Engine, schedule: Schedule): Promise<PayloadText | undefined> {
  const { input } = schedule;
  if (input === null) return undefined;
  if (input.at === 'inline') return input.text;
  const key = { pk: schedulePk(schedule), sk: scheduleInputPrefix(schedule.generation) + input.name };
  const { item } = await engine.table.get(key, { consistent: true });
  if (item === null) throw new MissingPayloadError(`The input of schedule ${schedule.scheduleId} is missing.`);
  return inflateRawSync(item.b as Uint8Array).toString('utf8');
}

/** One that nothing refers to any more, or ever will: others may be on their way into the schedule. */
export async function dropInput(
  engine: Engine,
  schedule: ScheduleId & { readonly generation: string },
  input: ScheduleInput | null | undefined,
): Promise<void> {
  if (input?.at !== 'item') return;
  const key = { pk: schedulePk(schedule), sk: scheduleInputPrefix(schedule.generation) + input.name };
  await sureWrite(engine, () => engine.table.delete(key));
}

/** Of a schedule that is gone: also what changes that died have left. */
export async function clearInputs(
  engine: Engine,
  schedule: ScheduleId & { readonly generation: string },
): Promise<void> {
  const prefix = scheduleInputPrefix(schedule.generation);
  const { items } = await engine.table.query({
    pk: schedulePk(schedule),
    prefix,
    attributes: ['sk'],
    consistent: true,
  });
  const old = items.map(({ pk, sk }) => ({ pk, sk }));
  if (old.length > 0) await sureWrite(engine, () => engine.table.batchWrite({ delete: old }));
}
