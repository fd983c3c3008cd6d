import { describe, expect, it } from 'vitest';
import type { Item, Key } from '../../shared/ports/table.ts';
import type { TableUnderTest } from './table-under-test.ts';

const byKey = (a: Key, b: Key): number => (a.sk < b.sk ? -1 : 1);

export function describeBatches(subject: TableUnderTest): void {
  describe('a batch', () => {
    it('writes, reads and deletes more than one request can hold', async () => {
      const pk = subject.fresh();
      const put = Array.from({ length: 260 }, (_, n): Item => ({ pk, sk: String(n).padStart(3, '0'), n }));
      await subject.table.batchWrite({ put });
      const missing = { pk, sk: 'none' };
      const { items } = await subject.table.batchGet([missing, ...put.map(({ sk }) => ({ pk, sk }))], {
        consistent: true,
      });
      expect(items.toSorted(byKey)).toEqual(put);
      await subject.table.batchWrite({ put: [{ pk, sk: 'new' }], delete: put.slice(5).map(({ sk }) => ({ pk, sk })) });
      const left = await subject.table.query({ pk, consistent: true });
      expect(left.items).toEqual([...put.slice(0, 5), { pk, sk: 'new' }]);
    });

    it('reads more bytes than one answer can hold', async () => {
      const pk = subject.fresh();
      const put = Array.from({ length: 60 }, (_, n): Item => ({ pk, sk: `${n}`, text: 'x'.repeat(300_000) }));
      for (let n = 0; n < put.length; n += 10) await subject.table.batchWrite({ put: put.slice(n, n + 10) });
      const { items } = await subject.table.batchGet(put.map(({ sk }) => ({ pk, sk })));
      expect(items.map((item) => item.sk).sort()).toEqual(put.map((item) => item.sk).sort());
    });

    it('of nothing is nothing', async () => {
      expect(await subject.table.batchGet([])).toEqual({ items: [], units: { write: 0, read: 0 } });
      expect(await subject.table.batchWrite({})).toEqual({ units: { write: 0, read: 0 } });
    });

    it('refuses the same item twice, and an invalid item before it writes any', async () => {
      const pk = subject.fresh();
      const put = Array.from({ length: 30 }, (_, n): Item => ({ pk, sk: `${n}` }));
      const key = { pk, sk: '1' };
      await expect(subject.table.batchGet([key, key])).rejects.toMatchObject({ failure: 'invalid' });
      await expect(subject.table.batchWrite({ put, delete: [key] })).rejects.toMatchObject({ failure: 'invalid' });
      await expect(subject.table.batchWrite({ put: [...put, { pk, sk: 'x', ds: '' }] })).rejects.toMatchObject({
        failure: 'invalid',
      });
      expect((await subject.table.query({ pk, consistent: true })).items).toEqual([]);
    });
  });
}
