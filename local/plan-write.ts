import { applyChanges, checkChanges } from '../shared/model/apply-changes.ts';
import { indexWriteUnits, tableWriteUnits } from '../shared/model/capacity-units.ts';
import { checkItem, checkKey } from '../shared/model/check-item.ts';
import { checkCondition, evaluateCondition } from '../shared/model/evaluate-condition.ts';
import type { Key, TransactWrite } from '../shared/ports/table.ts';
import type { StoredItem } from './item-rows.ts';

export const keyOf = (write: TransactWrite): Key => (write.kind === 'put' ? write.item : write.key);

/** A write that nothing is wrong with, whatever the table holds. */
export interface CheckedWrite {
  readonly write: TransactWrite;
  /** Of the item that is put; 0 for other writes. */
  readonly size: number;
}

export function checkWrite(write: TransactWrite): CheckedWrite {
  const size = write.kind === 'put' ? checkItem(write.item) : 0;
  if (write.kind !== 'put') checkKey(write.key);
  if (write.kind === 'update') checkChanges(write.changes);
  if (write.condition !== undefined) checkCondition(write.condition);
  return { write, size };
}

export const holds = (write: TransactWrite, before: StoredItem | null): boolean =>
  write.condition === undefined || evaluateCondition(write.condition, before?.item ?? null);

/** What stands in the table once the write is done. */
export function planWrite({ write, size }: CheckedWrite, before: StoredItem | null): StoredItem | null {
  switch (write.kind) {
    case 'put':
      return { item: write.item, size };
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
