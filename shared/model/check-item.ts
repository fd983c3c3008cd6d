import { PortError } from '../ports/port-error.ts';
import { INDEXES, type Item, type Key, type Value } from '../ports/table.ts';
import { MAX_ITEM_BYTES, numberBytes } from './item-size.ts';
import { isWellFormed, utf8Length } from './utf8-order.ts';

const MAX_HASH_BYTES = 2048;
const MAX_RANGE_BYTES = 1024;
const MAX_DEPTH = 32;
const INDEX_KEYS = Object.values(INDEXES);
const MAX_NUMBER = 9.99999999999999e125;
const MIN_NUMBER = 1e-130;

function refuse(message: string): never {
  throw new PortError('invalid', message);
}

function checkKeyPart(name: string, value: unknown, maxBytes: number): void {
  if (typeof value !== 'string') refuse(`${name} must be a string`);
  if (value === '') refuse(`${name} must not be empty`);
  if (!isWellFormed(value)) refuse(`${name} is not well-formed Unicode`);
  if (utf8Length(value) > maxBytes) refuse(`${name} is longer than ${maxBytes} bytes`);
}

export function checkKey(key: Key): void {
  checkKeyPart('pk', key.pk, MAX_HASH_BYTES);
  checkKeyPart('sk', key.sk, MAX_RANGE_BYTES);
}

export function checkIndexKey(name: string, value: unknown, part: 'hash' | 'range'): void {
  checkKeyPart(name, value, part === 'hash' ? MAX_HASH_BYTES : MAX_RANGE_BYTES);
}

export function checkNumber(name: string, value: number): void {
  if (!Number.isFinite(value)) refuse(`${name} is ${value}`);
  const magnitude = Math.abs(value);
  if (magnitude > MAX_NUMBER || (magnitude !== 0 && magnitude < MIN_NUMBER))
    refuse(`${name} is out of range: ${value}`);
}

/** Throws what cannot be stored under the name; answers the size of the value. */
function checkValue(name: string, value: Value, depth = 0): number {
  if (typeof value === 'string') {
    if (!isWellFormed(value)) refuse(`${name} is not well-formed Unicode`);
    return utf8Length(value);
  }
  if (typeof value === 'number') {
    checkNumber(name, value);
    return numberBytes(value);
  }
  if (value === null || typeof value === 'boolean') return 1;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object') refuse(`${name} cannot be stored: ${typeof value}`);
  if (depth === MAX_DEPTH) refuse(`${name} is nested more than ${MAX_DEPTH} deep`);
  let size = 3;
  if (Array.isArray(value)) {
    for (const element of value as readonly Value[]) size += 1 + checkValue(name, element, depth + 1);
    return size;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse(`${name} cannot be stored: not a plain object`);
  for (const [inner, element] of Object.entries(value)) {
    size += 1 + checkName(inner) + checkValue(inner, element, depth + 1);
  }
  return size;
}

/** Sizes of names that are good: there are few different ones, and every item has a dozen. */
const goodNames = new Map<string, number>();
const MAX_GOOD_NAMES = 1000;

function checkName(name: string): number {
  const known = goodNames.get(name);
  if (known !== undefined) return known;
  if (name === '') refuse('an attribute name must not be empty');
  if (!isWellFormed(name)) refuse('an attribute name is not well-formed Unicode');
  const size = utf8Length(name);
  if (goodNames.size < MAX_GOOD_NAMES) goodNames.set(name, size);
  return size;
}

/** Throws what DynamoDB would refuse to store; answers the item's size. */
export function checkItem(item: Item): number {
  checkKey(item);
  let size = 0;
  for (const name in item) size += checkName(name) + checkValue(name, item[name] as Value);
  for (const { hash, range } of INDEX_KEYS) {
    if (Object.hasOwn(item, hash)) checkIndexKey(hash, item[hash], 'hash');
    if (Object.hasOwn(item, range)) checkIndexKey(range, item[range], 'range');
  }
  if (size > MAX_ITEM_BYTES) refuse(`the item has ${size} bytes, more than ${MAX_ITEM_BYTES}`);
  return size;
}
