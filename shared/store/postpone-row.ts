import type { IndexRow } from '../ports/table.ts';
import type { Engine } from './engine.ts';
import { timeKey } from './keys.ts';
import { sureWrite } from './sure-write.ts';

/** Moves the due row of an item that this version cannot read, so that it does not stand in the way of the others. */
export async function postponeRow(engine: Engine, row: IndexRow, until: number): Promise<void> {
  const { pk, sk, range } = row;
  await sureWrite(engine, () =>
    engine.table.update({ pk, sk }, { set: { ds: timeKey(until) } }, { op: '=', attr: 'ds', value: range }),
  );
}
