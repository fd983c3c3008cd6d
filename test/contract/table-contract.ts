import { afterAll, beforeAll, describe } from 'vitest';
import { describeBatches } from './table-batches.ts';
import { describeConcurrency } from './table-concurrency.ts';
import { describeConditions } from './table-conditions.ts';
import { describeIndexes } from './table-indexes.ts';
import { describeQueries } from './table-queries.ts';
import { describeTransactions } from './table-transactions.ts';
import type { OpenedTable, TableUnderTest } from './table-under-test.ts';
import { describeUnits } from './table-units.ts';
import { describeWrites } from './table-writes.ts';

export function describeTableContract(name: string, open: () => Promise<OpenedTable>): void {
  describe(name, () => {
    let opened: OpenedTable | null = null;
    let partitions = 0;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());
    const subject: TableUnderTest = {
      get table() {
        if (opened === null) throw new Error('the table is not open');
        return opened.table;
      },
      get flaws() {
        return opened?.flaws ?? [];
      },
      fresh: () => `p${partitions++}`,
      settle: async () => opened?.settle?.(),
    };
    describeWrites(subject);
    describeConditions(subject);
    describeQueries(subject);
    describeIndexes(subject);
    describeTransactions(subject);
    describeBatches(subject);
    describeUnits(subject);
    describeConcurrency(subject);
  });
}
