import { decodeValue } from '../sdk/values.ts';

/** A stored value as JSON that people read: what JSON has no form for becomes text, a list or an object without its tag. */
export function readable(stored: unknown): unknown {
  if (stored === undefined) return undefined;
  try {
    return plainJson(decodeValue(JSON.stringify(stored)));
  } catch {
    // Tags of a newer SDK: shown as they are.
    return stored;
  }
}

function plainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainJson);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Set) return [...value].map(plainJson);
  if (value instanceof Map) return plainMap(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64');
  if (value instanceof URL || value instanceof RegExp) return String(value);
  const own = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainJson(inner)]));
  return value instanceof Error ? { name: value.name, message: value.message, ...own } : own;
}

const plainMap = (map: ReadonlyMap<unknown, unknown>): unknown =>
  [...map.keys()].every((key) => typeof key === 'string')
    ? Object.fromEntries([...map].map(([key, inner]) => [key, plainJson(inner)]))
    : [...map].map(([key, inner]) => [plainJson(key), plainJson(inner)]);
