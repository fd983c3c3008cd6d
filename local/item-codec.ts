import type { Item, Value } from '../shared/ports/table.ts';

/** NUL starts the names that are ours; a stored name that begins with it gets one more. */
const MARK = '\u0000';
const BYTES = `${MARK}b`;

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const isPlain = (value: Value): value is string | number | boolean | null =>
  typeof value !== 'object' || value === null;

function needsMarks(value: Value): boolean {
  if (isPlain(value)) return false;
  if (value instanceof Uint8Array) return true;
  if (Array.isArray(value)) return (value as readonly Value[]).some(needsMarks);
  const map = value as Readonly<Record<string, Value>>;
  for (const name in map) if (name.startsWith(MARK) || needsMarks(map[name] as Value)) return true;
  return false;
}

function mark(value: Value): Json {
  if (isPlain(value)) return value;
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return (value as readonly Value[]).map(mark);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.startsWith(MARK) ? MARK + name : name, mark(inner)]),
  );
}

function unmark(value: Json): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(unmark);
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]?.[0] === BYTES)
    return new Uint8Array(Buffer.from(entries[0][1] as string, 'base64'));
  return Object.fromEntries(
    entries.map(([name, inner]) => [name.startsWith(MARK) ? name.slice(1) : name, unmark(inner)]),
  );
}

/** Everything but the key, which has columns of its own. */
export function encodeItem(item: Item): string {
  const marked = needsMarks(item) ? (mark(item) as Item) : item;
  return JSON.stringify({ ...marked, pk: undefined, sk: undefined });
}

export function decodeItem(pk: string, sk: string, text: string): Item {
  const parsed = JSON.parse(text) as Json;
  const item = (text.includes('\\u0000') ? unmark(parsed) : parsed) as { pk: string; sk: string };
  item.pk = pk;
  item.sk = sk;
  return item as Item;
}

export const toBlob = (text: string): Uint8Array => Buffer.from(text, 'utf8');

export const fromBlob = (blob: Uint8Array): string =>
  Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength).toString('utf8');
