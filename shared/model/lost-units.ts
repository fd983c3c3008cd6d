import type { Item, TransactWrite } from '../ports/table.ts';
import { applyChanges } from './apply-changes.ts';
import { tableWriteUnits } from './capacity-units.ts';
import { itemSize } from './item-size.ts';

/** A failed condition is billed by the larger of the item that stands and the one that was to stand. No answer of DynamoDB says so. */
export function lostUnits(write: TransactWrite, current: Item | null): number {
  const wanted = wantedItem(write, current);
  return tableWriteUnits(current === null ? 0 : itemSize(current), wanted === null ? 0 : itemSize(wanted));
}

function wantedItem(write: TransactWrite, current: Item | null): Item | null {
  if (write.kind === 'put') return write.item;
  if (write.kind !== 'update') return null;
  try {
    return applyChanges(write.key, current, write.changes);
  } catch {
    return null;
  }
}
