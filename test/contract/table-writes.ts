import { describe, expect, it } from 'vitest';
import type { Item } from '../../shared/ports/table.ts';
import type { TableUnderTest } from './table-under-test.ts';

const invalid = { name: 'PortError', failure: 'invalid' };

export function describeWrites(subject: TableUnderTest): void {
  describe('single writes', () => {
    it('gives back every kind of value as it was', async () => {
      const item: Item = {
        pk: subject.fresh(),
        sk: 's',
        text: 'ü 漢 😀',
        empty: '',
        zero: 0,
        small: 1e-130,
        large: 1.5e125,
        precise: 0.1,
        negative: -9007199254740991,
        yes: true,
        no: false,
        nothing: null,
        bytes: new Uint8Array([0, 255, 1]),
        list: [1, 'a', null, [true], { a: [] }],
        map: JSON.parse('{"a":{"b":1},"":"x","__proto__":{"c":1},"~__proto__":2}'.replace('"":"x",', '')),
        ...JSON.parse('{"__proto__":"top"}'),
      };
      await subject.table.put(item);
      const { item: stored } = await subject.table.get(item, { consistent: true });
      expect(stored).toEqual(item);
      expect(Object.keys(stored as Item).sort()).toEqual(Object.keys(item).sort());
      expect(Object.keys((stored as Item)['map'] as object).sort()).toEqual(['__proto__', 'a', '~__proto__']);
    });

    it('answers null for an item that is not there', async () => {
      expect((await subject.table.get({ pk: subject.fresh(), sk: 's' })).item).toBeNull();
    });

    it('replaces the whole item with a put', async () => {
      const pk = subject.fresh();
      await subject.table.put({ pk, sk: 's', a: 1 });
      await subject.table.put({ pk, sk: 's', b: 2 });
      expect((await subject.table.get({ pk, sk: 's' }, { consistent: true })).item).toEqual({ pk, sk: 's', b: 2 });
    });

    it('deletes, and deleting nothing is fine', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      await subject.table.put(key);
      expect((await subject.table.delete(key)).ok).toBe(true);
      expect((await subject.table.delete(key)).ok).toBe(true);
      expect((await subject.table.get(key, { consistent: true })).item).toBeNull();
    });

    it('sets, sets if missing, adds and removes in one update, and answers the new item', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      await subject.table.put({ ...key, old: 1, kept: 'first', count: 2, gone: 'x', nothing: null });
      const result = await subject.table.update(key, {
        set: { old: { deep: [1] }, fresh: 'y' },
        setIfMissing: { kept: 'second', made: 'new', nothing: 'not missing' },
        add: { count: 3, begun: -1 },
        remove: ['gone', 'never there'],
      });
      const expected = {
        ...key,
        old: { deep: [1] },
        fresh: 'y',
        kept: 'first',
        made: 'new',
        nothing: null,
        count: 5,
        begun: -1,
      };
      expect(result).toMatchObject({ ok: true });
      expect(result.ok && result.item).toEqual(expected);
      expect((await subject.table.get(key, { consistent: true })).item).toEqual(expected);
    });

    it('creates what it updates, even without changes', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      const result = await subject.table.update(key, {});
      expect(result.ok && result.item).toEqual(key);
      expect((await subject.table.get(key, { consistent: true })).item).toEqual(key);
    });

    it('adds in decimal', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      await subject.table.put({ ...key, n: 0.1 });
      const result = await subject.table.update(key, { add: { n: 0.2 } });
      expect(result.ok && result.item['n']).toBe(0.3);
    });
  });

  describe('refuses as invalid', () => {
    const key = (): { pk: string; sk: string } => ({ pk: subject.fresh(), sk: 's' });

    it.each([
      ['an empty pk', { pk: '', sk: 's' }],
      ['an empty sk', { pk: 'p', sk: '' }],
      ['a pk of 2049 bytes', { pk: 'x'.repeat(2049), sk: 's' }],
      ['an sk of 1025 bytes', { pk: 'p', sk: 'ü'.repeat(513) }],
      ['not a number', { pk: 'p', sk: 's', n: Number.NaN }],
      ['infinity', { pk: 'p', sk: 's', n: [Number.POSITIVE_INFINITY] }],
      ['a number too large', { pk: 'p', sk: 's', n: 1e126 }],
      ['a number too small', { pk: 'p', sk: 's', n: -1e-131 }],
      ['half a surrogate pair', { pk: 'p', sk: 's', text: '\ud83d' }],
    ])('%s', async (_name, item) => {
      await expect(subject.table.put(item)).rejects.toMatchObject(invalid);
    });

    it('an item of more than 400 KB, put or updated', async () => {
      const item = { ...key(), pk: 'size' };
      // pk + size + sk + s + text
      const room = 400 * 1024 - (2 + 4 + 2 + 1 + 4);
      expect((await subject.table.put({ ...item, text: 'x'.repeat(room) })).ok).toBe(true);
      await expect(subject.table.put({ ...item, text: 'x'.repeat(room + 1) })).rejects.toMatchObject(invalid);
      await expect(subject.table.update(item, { set: { n: 1 } })).rejects.toMatchObject(invalid);
    });

    it('a change of the key, of an attribute twice, or a sum with what is no number', async () => {
      const item = { ...key(), text: 'x' };
      await subject.table.put(item);
      await expect(subject.table.update(item, { set: { sk: 'other' } })).rejects.toMatchObject(invalid);
      await expect(subject.table.update(item, { remove: ['pk'] })).rejects.toMatchObject(invalid);
      await expect(subject.table.update(item, { set: { a: 1 }, remove: ['a'] })).rejects.toMatchObject(invalid);
      await expect(subject.table.update(item, { add: { text: 1 } })).rejects.toMatchObject(invalid);
      expect((await subject.table.get(item, { consistent: true })).item).toEqual(item);
    });

    it('reading by an empty key', async () => {
      await expect(subject.table.get({ pk: 'p', sk: '' })).rejects.toMatchObject(invalid);
      await expect(subject.table.delete({ pk: '', sk: 's' })).rejects.toMatchObject(invalid);
    });
  });
}
