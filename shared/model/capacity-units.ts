import type { Item, Units } from '../ports/table.ts';
import { indexMoves, indexRowSize } from './item-size.ts';

const WRITE_BLOCK = 1024;
const READ_BLOCK = 4096;

const blocks = (bytes: number, block: number): number => Math.max(1, Math.ceil(bytes / block));

/** Of the base item. A failed condition costs the same with `after` left out. */
export const tableWriteUnits = (before: number, after = 0): number => blocks(Math.max(before, after), WRITE_BLOCK);

/** Of one answer: an item, or all the rows a query looked at. */
export const readUnits = (bytes: number, consistent: boolean): number =>
  blocks(bytes, READ_BLOCK) * (consistent ? 1 : 0.5);

/** Nothing while the key attributes stay; a change of them is a delete and a put. */
export function indexWriteUnits(before: Item | null, after: Item | null): number {
  let units = 0;
  for (const { index, from, to } of indexMoves(before, after)) {
    const { pk, sk } = (before ?? after) as Item;
    if (from !== null) units += blocks(indexRowSize(index, from, pk, sk), WRITE_BLOCK);
    if (to !== null) units += blocks(indexRowSize(index, to, pk, sk), WRITE_BLOCK);
  }
  return units;
}

export const writeCost = (write: number): Units => ({ write, read: 0 });
export const readCost = (read: number): Units => ({ write: 0, read });
