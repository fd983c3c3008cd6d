import { applyChanges, checkChanges } from '../shared/model/apply-changes.ts';
import { indexWriteUnits, tableWriteUnits } from '../shared/model/capacity-units.ts';
import { checkItem, checkKey } from '../shared/model/check-item.ts';
import { checkCondition, evaluateCondition } from '../shared/model/evaluate-condition.ts';
import { itemSize } from '../shared/model/item-size.ts';
import type { Key, TransactWrite } from '../shared/ports/table.ts';
import type { StoredItem } from './item-rows.ts';

export const keyOf = (write: TransactWrite): Key => (write.kind === 'put' ? write.item : write.key);

/** Throws what is wrong with a write whatever the table holds. */
export function checkWrite(write: TransactWrite): void {
  if (write.kind === 'put') checkItem(write.item);
  else checkKey(write.key);
  if (write.kind === 'update') checkChanges(write.changes);
  if (write.condition !== undefined) checkCondition(write.condition);
}

export const holds = (write: TransactWrite, before: StoredItem | null): boolean =>
  write.condition === undefined || evaluateCondition(write.condition, before?.item ?? null);

/** What stands in the table once the write is done. */
export function planWrite(write: TransactWrite, before: StoredItem | null): StoredItem | null {
  switch (write.kind) {
    case 'put':
      return { item: write.item, size: itemSize(write.item) };
    case 'update': {
      const item = applyChanges(write.key, before?.item ?? null, write.changes);
      return { item, size: checkItem(item) };
    }
    case 'delete':
      return null;
    case 'check':
      return before;
  }
}

export function plannedUnits(
  before: StoredItem | null,
  after: StoredItem | null,
): { readonly table: number; readonly index: number } {
  return {
    table: tableWriteUnits(before?.size ?? 0, after?.size ?? 0),
    index: indexWriteUnits(before?.item ?? null, after?.item ?? null),
  };
}
