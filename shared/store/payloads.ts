import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { KagziError } from '../model/errors.ts';
import type { RunId } from '../model/run.ts';
import type { StoredPayload } from '../model/stored-payload.ts';
import type { Item, Value } from '../ports/table.ts';
import { UnreadableItemError } from './attributes.ts';
import type { Engine } from './engine.ts';
import { blobPrefix, dataSk, FORMAT, runPk } from './keys.ts';
import { sureWrite } from './sure-write.ts';

/** What a record refers to is not there: removed by hand, or lost with its disk. */
export class MissingPayloadError extends Error {
  override readonly name = 'MissingPayloadError';
}

/** A payload's JSON text. */
export type PayloadText = string;

/** Above this many bytes the text is deflated. */
const COMPRESS_ABOVE = 1024;
/** Above this many stored bytes an S3 put is cheaper than the write units. */
const BLOB_ABOVE = 8 * 1024;

export const mayBeBlob = (text: PayloadText | undefined): boolean =>
  text !== undefined && Buffer.byteLength(text, 'utf8') > BLOB_ABOVE;

/** Refuses what is too large before anything is written. */
export function checkPayload(engine: Engine, what: string, text: PayloadText | undefined): void {
  if (text === undefined) return;
  const bytes = Buffer.byteLength(text, 'utf8');
  const { payloadMaxBytes, payloadWarnBytes } = engine.config;
  if (bytes > payloadMaxBytes) {
    throw new KagziError(
      'PAYLOAD_TOO_LARGE',
      `The ${what} is ${bytes} bytes of JSON; at most ${payloadMaxBytes} are accepted.`,
      {
        bytes,
        max_bytes: payloadMaxBytes,
      },
    );
  }
  if (bytes > payloadWarnBytes)
    engine.telemetry.log('warn', 'large payload', { what, bytes, warn_bytes: payloadWarnBytes });
}

export interface PayloadPlace {
  readonly run: RunId;
  readonly incarnation: string;
  /** Unique within the incarnation, in the alphabet of blob keys. Asked for once, and only by what is not inline. */
  readonly name: () => string;
}

export interface PayloadRoom {
  /** In the owning item. */
  readonly inlineBytes: number;
  readonly ownItem: boolean;
  readonly ttl?: number;
}

export interface Stored {
  readonly payload: StoredPayload | null;
  readonly writeUnits: number;
}

/**
 * Puts the text where it belongs and answers what the owning item should hold: most are small, and at once. Larger ones
 * are written before their owner: a crash between the two leaves an orphan for the sweep, never a dangling reference.
 */
export function storePayload(
  engine: Engine,
  place: PayloadPlace,
  text: PayloadText | undefined,
  room: PayloadRoom,
): Stored | Promise<Stored> {
  if (text === undefined) return { payload: null, writeUnits: 0 };
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes <= room.inlineBytes) return { payload: { at: 'inline', text }, writeUnits: 0 };
  return storeLarge(engine, place, text, bytes, room);
}

async function storeLarge(
  engine: Engine,
  place: PayloadPlace,
  text: PayloadText,
  bytes: number,
  room: PayloadRoom,
): Promise<Stored> {
  const deflated = bytes > COMPRESS_ABOVE ? new Uint8Array(deflateRawSync(text)) : null;
  if (deflated && deflated.length > BLOB_ABOVE) {
    const key = blobPrefix(place.run, place.incarnation) + place.name();
    await sureWrite(engine, () => engine.blobs.put(key, deflated));
    return { payload: { at: 'blob', key }, writeUnits: 0 };
  }
  if (!room.ownItem) return { payload: deflated ? { at: 'packed', deflated } : { at: 'inline', text }, writeUnits: 0 };
  const name = place.name();
  const item: Item = {
    pk: runPk(place.run),
    sk: dataSk(place.incarnation, name),
    v: FORMAT,
    b: deflated ?? text,
    ...(room.ttl === undefined ? {} : { ttl: room.ttl }),
  };
  const { units } = await sureWrite(engine, () => engine.table.put(item));
  return { payload: { at: 'item', name }, writeUnits: units.write };
}

/** Most lie in what was read already, and nothing is to be waited for. */
export function loadPayload(
  engine: Engine,
  run: RunId,
  incarnation: string,
  payload: StoredPayload | null,
): PayloadText | undefined | Promise<PayloadText> {
  if (payload === null) return undefined;
  return payload.at === 'inline' ? payload.text : loadStored(engine, run, incarnation, payload);
}

async function loadStored(
  engine: Engine,
  run: RunId,
  incarnation: string,
  payload: Exclude<StoredPayload, { readonly at: 'inline' }>,
): Promise<PayloadText> {
  switch (payload.at) {
    case 'packed':
      return inflate(payload.deflated);
    case 'item': {
      const { item } = await engine.table.get(
        { pk: runPk(run), sk: dataSk(incarnation, payload.name) },
        { consistent: true },
      );
      if (item === null) throw new MissingPayloadError(`A payload of run ${run.runId} is missing.`);
      return typeof item.b === 'string' ? item.b : inflate(item.b as Uint8Array);
    }
    case 'blob': {
      const bytes = await engine.blobs.get(payload.key);
      if (bytes === null) throw new MissingPayloadError(`A payload of run ${run.runId} is missing.`);
      return inflate(bytes);
    }
  }
}

const inflate = (bytes: Uint8Array): string => inflateRawSync(bytes).toString('utf8');

export function encodePayload(payload: StoredPayload): Value {
  switch (payload.at) {
    case 'inline':
      return payload.text;
    case 'packed':
      return payload.deflated;
    case 'item':
      return { i: payload.name };
    case 'blob':
      return { k: payload.key };
  }
}

export function decodePayload(value: Value | undefined): StoredPayload | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return { at: 'inline', text: value };
  if (value instanceof Uint8Array) return { at: 'packed', deflated: value };
  const { i: name, k: key } = value as { readonly i?: unknown; readonly k?: unknown };
  if (typeof key === 'string') return { at: 'blob', key };
  if (typeof name === 'string') return { at: 'item', name };
  throw new UnreadableItemError('a payload is neither text, bytes nor a reference');
}
