import { beforeEach, describe, expect, it } from 'vitest';
import type { Condition, Item, Units } from '../../shared/ports/table.ts';
import type { TableUnderTest } from './table-under-test.ts';

const exists: Condition = { op: 'exists', attr: 'pk' };
const missing: Condition = { op: 'missing', attr: 'pk' };
const text = (kilobytes: number): string => 'x'.repeat(kilobytes * 1024 - 100);

export function describeUnits(subject: TableUnderTest): void {
  describe('capacity units', () => {
    let key: Item = { pk: '', sk: '' };
    beforeEach(() => {
      key = { pk: subject.fresh(), sk: 's' };
    });
    const writes = async (units: number, call: Promise<{ readonly units: Units }>): Promise<void> => {
      expect((await call).units).toEqual({ write: units, read: 0 });
    };
    const reads = async (units: number, call: Promise<{ readonly units: Units }>): Promise<void> => {
      expect((await call).units).toEqual({ write: 0, read: units });
    };

    it('of a put: one per KB of the larger of old and new', async () => {
      await writes(1, subject.table.put(key));
      await writes(3, subject.table.put({ ...key, text: text(3) }));
      await writes(3, subject.table.put({ ...key, text: text(2) }));
      await writes(2, subject.table.put(key));
    });

    it('of an item of exactly 1 KB, and of one byte more', async () => {
      const room = 1024 - `pk${key.pk}sk${key.sk}text`.length;
      await writes(1, subject.table.put({ ...key, text: 'x'.repeat(room) }));
      await writes(2, subject.table.put({ ...key, text: 'x'.repeat(room + 1) }));
    });

    it('of an update: the whole item', async () => {
      await writes(1, subject.table.update(key, { add: { n: 1 } }));
      await writes(2, subject.table.update(key, { set: { text: text(2) } }));
      await writes(2, subject.table.update(key, { add: { n: 1 } }));
      await writes(2, subject.table.update(key, { remove: ['text'] }));
    });

    it('of a delete: the item, or one', async () => {
      await subject.table.put({ ...key, text: text(2) });
      await writes(2, subject.table.delete(key));
      await writes(1, subject.table.delete(key));
    });

    it('of a lost condition: the larger of the item that stands and the one wanted', async () => {
      await writes(1, subject.table.put(key, exists));
      await writes(2, subject.table.put({ ...key, text: text(2) }, exists));
      await subject.table.put({ ...key, text: text(3) });
      await writes(3, subject.table.put(key, missing));
      await writes(3, subject.table.update(key, { set: { n: 1 } }, missing));
      await writes(5, subject.table.update(key, { set: { text: text(5) } }, missing));
      await writes(3, subject.table.delete(key, missing));
    });

    it('of an index: one to enter, two to change, one to leave, none to stay', async () => {
      await writes(1, subject.table.put({ ...key, dk: 'u' }));
      await writes(2, subject.table.update(key, { set: { ds: '1' } }));
      await writes(1, subject.table.update(key, { set: { ds: '1', more: 1 } }));
      await writes(3, subject.table.update(key, { set: { ds: '2' } }));
      await writes(3, subject.table.update(key, { set: { dk: 'v' } }));
      await writes(2, subject.table.update(key, { set: { lk: 'u', ls: '1' } }));
      await writes(5, subject.table.put({ ...key, dk: 'v', ds: '3', lk: 'u', ls: '2' }));
      await writes(2, subject.table.update(key, { remove: ['ds'] }));
      await writes(2, subject.table.delete(key));
    });

    it('of a get: one per 4 KB, half of it if it may lag, the smallest if there is nothing', async () => {
      await reads(0.5, subject.table.get(key));
      await reads(1, subject.table.get(key, { consistent: true }));
      await subject.table.put({ ...key, text: text(6) });
      await reads(1, subject.table.get(key));
      await reads(2, subject.table.get(key, { consistent: true }));
    });

    it('of a query: everything looked at together', async () => {
      const put = ['a', 'b', 'c'].map((sk): Item => ({ pk: key.pk, sk, text: text(2), dk: key.pk, ds: sk }));
      await subject.table.batchWrite({ put });
      await subject.settle();
      await reads(2, subject.table.query({ pk: key.pk, consistent: true }));
      await reads(1, subject.table.query({ pk: key.pk }));
      await reads(0.5, subject.table.query({ pk: key.pk, limit: 1 }));
      await reads(
        2,
        subject.table.query({ pk: key.pk, consistent: true, attributes: ['sk'], filter: { op: 'exists', attr: 'no' } }),
      );
      await reads(0.5, subject.table.queryIndex({ index: 'due', hash: key.pk }));
    });

    it('of a query that finds nothing: the smallest read', async () => {
      const free = subject.flaws.includes('empty-query-is-free');
      await reads(free ? 0 : 0.5, subject.table.query({ pk: key.pk }));
      await reads(free ? 0 : 1, subject.table.query({ pk: key.pk, consistent: true }));
      await reads(free ? 0 : 0.5, subject.table.queryIndex({ index: 'due', hash: key.pk }));
    });

    it('of batches: each item by itself', async () => {
      const put = ['a', 'b', 'c'].map((sk): Item => ({ pk: key.pk, sk, text: text(2) }));
      await writes(7, subject.table.batchWrite({ put: [...put, { ...key, dk: 'u' }] }));
      await writes(
        4,
        subject.table.batchWrite({ put: [{ ...key, dk: 'u', ds: '1' }], delete: [{ pk: key.pk, sk: 'a' }] }),
      );
      const keys = ['b', 'c', 'none'].map((sk) => ({ pk: key.pk, sk }));
      const free = subject.flaws.includes('missing-in-batch-is-free');
      await reads(free ? 1 : 1.5, subject.table.batchGet(keys));
      await reads(free ? 2 : 3, subject.table.batchGet(keys, { consistent: true }));
    });

    it('of a transaction: double, a check as much as a write, an index as ever', async () => {
      const put = (sk: string, more = {}) => ({ kind: 'put', item: { pk: key.pk, sk, ...more } }) as const;
      await writes(2, subject.table.transact([put('a')]));
      if (subject.flaws.includes('transact-units')) return;
      await writes(4, subject.table.transact([put('a'), put('b')]));
      await writes(3, subject.table.transact([put('c', { dk: 'u', ds: '1' })]));
      await writes(4, subject.table.transact([put('a'), { kind: 'check', key, condition: missing }]));
      await writes(6, subject.table.transact([put('d', { text: text(2) }), { kind: 'delete', key }]));
    });

    it('of a transaction that lost: double as well', async () => {
      const put = { kind: 'put', item: { ...key, text: text(2) }, condition: exists } as const;
      await writes(6, subject.table.transact([put, { kind: 'delete', key: { pk: key.pk, sk: 'other' } }]));
    });
  });
}
