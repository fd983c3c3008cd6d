import { INDEXES, type IndexName, type Item, type Value } from '../ports/table.ts';
import { utf8Length } from './utf8-order.ts';

export const MAX_ITEM_BYTES = 400 * 1024;
export const MAX_PAGE_BYTES = 1024 * 1024;

/** Numbers are kept as digits of base 100, aligned to the decimal point: 15 is one of them, 1.5 is two. */
export function numberBytes(value: number): number {
  if (value === 0) return 1;
  const digits = Number.isSafeInteger(value) ? digitsOfWhole(Math.abs(value)) : digitsOf(Math.abs(value));
  return digits + (value < 0 ? 2 : 1);
}

function digitsOfWhole(value: number): number {
  let left = value;
  while (left % 100 === 0) left /= 100;
  let digits = 0;
  for (; left > 0; left = Math.floor(left / 100)) digits += 1;
  return digits;
}

function digitsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const pointAt = Number(exponent) + whole.length - (whole.length + fraction.length - digits.length);
  const significant = digits.replace(/0+$/, '').length + Math.abs(pointAt % 2);
  return Math.ceil(significant / 2);
}

export function valueSize(value: Value): number {
  if (typeof value === 'string') return utf8Length(value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value === 'boolean' || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  let size = 3;
  if (Array.isArray(value)) {
    for (const element of value as readonly Value[]) size += 1 + valueSize(element);
    return size;
  }
  for (const name of Object.keys(value)) size += 1 + utf8Length(name) + valueSize((value as Item)[name] as Value);
  return size;
}

/** There are few different names, and every item has a dozen. */
const nameSizes = new Map<string, number>();
const MAX_NAMES = 1000;

function nameSize(name: string): number {
  const known = nameSizes.get(name);
  if (known !== undefined) return known;
  const size = utf8Length(name);
  if (nameSizes.size < MAX_NAMES) nameSizes.set(name, size);
  return size;
}

export function itemSize(item: Item): number {
  let size = 0;
  for (const name in item) size += nameSize(name) + valueSize(item[name] as Value);
  return size;
}

export interface IndexEntry {
  readonly hash: string;
  readonly range: string;
}

/** Where the item stands in the index; null while it lacks one of the two attributes. */
export function indexEntry(item: Item | null, index: IndexName): IndexEntry | null {
  if (item === null) return null;
  const hash = Object.hasOwn(item, INDEXES[index].hash) ? item[INDEXES[index].hash] : undefined;
  const range = Object.hasOwn(item, INDEXES[index].range) ? item[INDEXES[index].range] : undefined;
  return typeof hash === 'string' && typeof range === 'string' ? { hash, range } : null;
}

/** A row that leaves an index, enters it, or both. */
export interface IndexMove {
  readonly index: IndexName;
  readonly from: IndexEntry | null;
  readonly to: IndexEntry | null;
}

const INDEX_NAMES = Object.keys(INDEXES) as readonly IndexName[];
const NO_MOVES: readonly IndexMove[] = [];

/** What a write does to the indexes; most touch none. */
export function indexMoves(before: Item | null, after: Item | null): readonly IndexMove[] {
  let moves = NO_MOVES;
  for (const index of INDEX_NAMES) {
    if (!isListed(before, index) && !isListed(after, index)) continue;
    const from = indexEntry(before, index);
    const to = indexEntry(after, index);
    if (from?.hash !== to?.hash || from?.range !== to?.range) moves = [...moves, { index, from, to }];
  }
  return moves;
}

const isListed = (item: Item | null, index: IndexName): boolean =>
  item !== null && Object.hasOwn(item, INDEXES[index].hash);

export function indexRowSize(index: IndexName, entry: IndexEntry, pk: string, sk: string): number {
  const { hash, range } = INDEXES[index];
  const names = nameSize('pk') + nameSize('sk') + nameSize(hash) + nameSize(range);
  return names + utf8Length(pk) + utf8Length(sk) + utf8Length(entry.hash) + utf8Length(entry.range);
}
