import { describe, expect, it } from 'vitest';
import type { PortError } from '../../shared/ports/port-error.ts';
import type { Condition, Item, Scalar } from '../../shared/ports/table.ts';
import type { TableUnderTest } from './table-under-test.ts';

const bytes = new Uint8Array([1, 2]);
const all = (of: readonly Condition[]): Condition => ({ op: 'and', of });
const any = (of: readonly Condition[]): Condition => ({ op: 'or', of });
const not = (of: Condition): Condition => ({ op: 'not', of });
const is = (attr: string, value: Scalar, op: '=' | '<>' | '<' | '<=' | '>' | '>=' = '='): Condition => ({
  op,
  attr,
  value,
});
const within = (attr: string, values: readonly Scalar[]): Condition => ({ op: 'in', attr, values });

const HELD: readonly [string, Condition][] = [
  ['exists', { op: 'exists', attr: 'n' }],
  ['exists, of a null', { op: 'exists', attr: 'nothing' }],
  ['missing', { op: 'missing', attr: 'absent' }],
  ['= number', is('n', 5)],
  ['= string', is('s', 'b')],
  ['= bytes', is('bytes', bytes)],
  ['= boolean', is('yes', true)],
  ['= null', is('nothing', null)],
  ['= of the key', is('sk', 's')],
  ['<> of another value', is('n', 6, '<>')],
  ['<> of another type', is('n', '5', '<>')],
  ['<> of what is missing', is('absent', 5, '<>')],
  ['<> null of what is missing', is('absent', null, '<>')],
  ['<', is('n', 6, '<')],
  ['<=', is('n', 5, '<=')],
  ['> by number, not by text', is('n', -10, '>')],
  ['>=', is('s', 'b', '>=')],
  ['> by UTF-8 bytes', is('astral', '\uffff', '>')],
  ['> by bytes', is('bytes', new Uint8Array([1, 1, 9]), '>')],
  ['in', within('n', [1, 'x', 5])],
  ['in, of 250 values', within('n', [...Array.from({ length: 249 }, (_, i) => i + 10), 5])],
  ['not in nothing', not(within('n', []))],
  ['and of nothing', all([])],
  ['and', all([is('n', 5), is('s', 'b')])],
  ['or', any([is('n', 6), is('s', 'b')])],
  ['or in and', all([any([is('n', 6), is('n', 5)]), any([is('s', 'b')])])],
  ['not of a missing comparison', not(is('absent', 5, '<'))],
  ['not not', not(not(is('n', 5)))],
  ['not and', not(all([is('n', 5), is('n', 6)]))],
];
const LOST: readonly [string, Condition][] = [
  ['exists', { op: 'exists', attr: 'absent' }],
  ['missing', { op: 'missing', attr: 'n' }],
  ['missing, of a null', { op: 'missing', attr: 'nothing' }],
  ['= of another type', is('n', '5')],
  ['= of what is missing', is('absent', 5)],
  ['= null of what is missing', is('absent', null)],
  ['<> of the same', is('s', 'b', '<>')],
  ['< of what is missing', is('absent', 5, '<')],
  ['< of another type', is('s', 5, '<')],
  ['>= of another type', is('n', '', '>=')],
  ['< of null', is('nothing', 5, '<')],
  ['< of a list', is('list', 5, '<')],
  ['in, of other types', within('n', ['5', true, null])],
  ['in, of what is missing', within('absent', [null, 5])],
  ['in nothing', within('n', [])],
  ['or of nothing', any([])],
  ['or of nothing in and', all([is('n', 5), any([])])],
  ['not', not(is('n', 5))],
  ['not or', not(any([is('n', 6), is('n', 5)]))],
];

export function describeConditions(subject: TableUnderTest): void {
  const seed = async (): Promise<Item> => {
    const item = {
      pk: subject.fresh(),
      sk: 's',
      n: 5,
      s: 'b',
      yes: true,
      nothing: null,
      bytes,
      list: [1],
      astral: '😀',
    };
    await subject.table.put(item);
    return item;
  };

  describe('a condition holds', () => {
    it.each(HELD)('%s', async (_name, condition) => {
      const item = await seed();
      expect(await subject.table.put({ ...item, won: true }, condition)).toMatchObject({ ok: true });
      expect((await subject.table.get(item, { consistent: true })).item).toEqual({ ...item, won: true });
    });
  });

  describe('a condition is lost, and the item that beat it comes back', () => {
    it.each(LOST)('%s', async (_name, condition) => {
      const item = await seed();
      expect(await subject.table.put({ ...item, won: true }, condition)).toMatchObject({ ok: false, current: item });
      expect((await subject.table.get(item, { consistent: true })).item).toEqual(item);
    });

    it('to update and delete as well', async () => {
      const item = await seed();
      expect(await subject.table.update(item, { set: { n: 6 } }, is('n', 6))).toMatchObject({
        ok: false,
        current: item,
      });
      expect(await subject.table.delete(item, is('n', 6))).toMatchObject({ ok: false, current: item });
      expect((await subject.table.get(item, { consistent: true })).item).toEqual(item);
      expect(await subject.table.update(item, { set: { n: 6 } }, is('n', 5))).toMatchObject({ ok: true });
      expect(await subject.table.delete(item, is('n', 6))).toMatchObject({ ok: true });
    });

    it('with null where there is no item, and nothing is made', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      const exists: Condition = { op: 'exists', attr: 'pk' };
      expect(await subject.table.put(key, exists)).toMatchObject({ ok: false, current: null });
      expect(await subject.table.update(key, { set: { a: 1 } }, exists)).toMatchObject({ ok: false, current: null });
      expect(await subject.table.delete(key, exists)).toMatchObject({ ok: false, current: null });
      expect((await subject.table.get(key, { consistent: true })).item).toBeNull();
    });
  });

  it('compares with what stood before the update', async () => {
    const item = await seed();
    const first = await subject.table.update(
      item,
      { add: { n: 1 }, setIfMissing: { by: 'me' } },
      { op: 'missing', attr: 'by' },
    );
    expect(first.ok && first.item['n']).toBe(6);
    const second = await subject.table.update(item, { add: { n: 1 } }, { op: 'missing', attr: 'by' });
    expect(second).toMatchObject({ ok: false, current: { n: 6, by: 'me' } });
  });

  it.each([null, true])('refuses an order against %s', async (value) => {
    const item = await seed();
    const put = subject.table.put(item, is('n', value, '<'));
    const answer = await put.then(
      ({ ok }) => (ok ? 'written' : 'false'),
      (error: PortError) => error.failure,
    );
    expect(answer).toBe(subject.flaws.includes('orders-anything') ? 'false' : 'invalid');
  });
}
