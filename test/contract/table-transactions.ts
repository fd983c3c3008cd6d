import { describe, expect, it } from 'vitest';
import type { Condition, TransactWrite } from '../../shared/ports/table.ts';
import type { TableUnderTest } from './table-under-test.ts';

const exists: Condition = { op: 'exists', attr: 'pk' };
const missing: Condition = { op: 'missing', attr: 'pk' };

export function describeTransactions(subject: TableUnderTest): void {
  const stored = async (pk: string): Promise<unknown> => (await subject.table.query({ pk, consistent: true })).items;

  describe('a transaction', () => {
    it('writes everything', async () => {
      const pk = subject.fresh();
      await subject.table.batchWrite({
        put: [
          { pk, sk: 'b', n: 1 },
          { pk, sk: 'c' },
          { pk, sk: 'd' },
        ],
      });
      const result = await subject.table.transact([
        { kind: 'put', item: { pk, sk: 'a' }, condition: missing },
        { kind: 'update', key: { pk, sk: 'b' }, changes: { add: { n: 1 } }, condition: exists },
        { kind: 'delete', key: { pk, sk: 'c' }, condition: exists },
        { kind: 'check', key: { pk, sk: 'd' }, condition: exists },
        { kind: 'update', key: { pk, sk: 'e' }, changes: {} },
        { kind: 'check', key: { pk, sk: 'f' }, condition: { op: 'and', of: [] } },
      ]);
      expect(result.ok).toBe(true);
      expect(await stored(pk)).toEqual([
        { pk, sk: 'a' },
        { pk, sk: 'b', n: 2 },
        { pk, sk: 'd' },
        { pk, sk: 'e' },
      ]);
    });

    it('writes nothing if a condition fails, and names every one that failed with its item', async () => {
      const pk = subject.fresh();
      const b = { pk, sk: 'b', n: 1, deep: { list: [null] } };
      await subject.table.put(b);
      const result = await subject.table.transact([
        { kind: 'put', item: { pk, sk: 'a' } },
        { kind: 'update', key: { pk, sk: 'b' }, changes: { add: { n: 1 } }, condition: missing },
        { kind: 'delete', key: { pk, sk: 'c' } },
        { kind: 'check', key: { pk, sk: 'd' }, condition: exists },
      ]);
      expect(result).toMatchObject({ ok: false });
      expect(!result.ok && result.failures).toEqual([
        { index: 1, current: b },
        { index: 3, current: null },
      ]);
      expect(await stored(pk)).toEqual([b]);
    });

    it('writes nothing if one write is invalid', async () => {
      const pk = subject.fresh();
      await subject.table.put({ pk, sk: 'text', n: 'x' });
      const bad: TransactWrite[] = [
        { kind: 'put', item: { pk, sk: '' } },
        { kind: 'put', item: { pk, sk: 'b', dk: '', ds: 'x' } },
        { kind: 'update', key: { pk, sk: 'text' }, changes: { add: { n: 1 } } },
        { kind: 'put', item: { pk, sk: 'a' } },
      ];
      for (const write of bad) {
        const transaction = subject.table.transact([{ kind: 'put', item: { pk, sk: 'a' } }, write]);
        await expect(transaction, JSON.stringify(write)).rejects.toMatchObject({ failure: 'invalid' });
      }
      await expect(subject.table.transact([])).rejects.toMatchObject({ failure: 'invalid' });
      expect(await stored(pk)).toEqual([{ pk, sk: 'text', n: 'x' }]);
    });

    it('takes 100 writes and no more', async () => {
      const pk = subject.fresh();
      const writes = Array.from({ length: 101 }, (_, n): TransactWrite => ({ kind: 'put', item: { pk, sk: `s${n}` } }));
      await expect(subject.table.transact(writes)).rejects.toMatchObject({ failure: 'invalid' });
      expect((await subject.table.transact(writes.slice(1))).ok).toBe(true);
      expect(await stored(pk)).toHaveLength(100);
    });
  });
}
