import { describe, expect, it } from 'vitest';
import { checkCondition, evaluateCondition } from '../../shared/model/evaluate-condition.ts';
import type { Condition, Item, Scalar } from '../../shared/ports/table.ts';

const item: Item = {
  pk: 'p',
  sk: 's',
  text: 'b',
  empty: '',
  number: 5,
  yes: true,
  nothing: null,
  bytes: new Uint8Array([1, 200]),
  list: [1],
};
const holds = (condition: Condition, on: Item | null = item): boolean => evaluateCondition(condition, on);
const compare = (attr: string, op: '=' | '<>' | '<' | '<=' | '>' | '>=', value: Scalar): boolean =>
  holds({ op, attr, value });

describe('a condition', () => {
  it('tells missing from null', () => {
    expect(holds({ op: 'exists', attr: 'nothing' })).toBe(true);
    expect(compare('nothing', '=', null)).toBe(true);
    expect(compare('absent', '=', null)).toBe(false);
    expect(compare('absent', '<>', null)).toBe(true);
    expect(holds({ op: 'missing', attr: 'pk' }, null)).toBe(true);
  });

  it('does not find what an object inherits', () => {
    for (const attr of ['toString', '__proto__', 'constructor']) expect(holds({ op: 'exists', attr })).toBe(false);
  });

  it('is false between types, and <> true', () => {
    for (const op of ['=', '<', '<=', '>', '>='] as const) expect(compare('number', op, '5')).toBe(false);
    expect(compare('number', '<>', '5')).toBe(true);
    expect(compare('list', '=', 1)).toBe(false);
    expect(compare('empty', '=', null)).toBe(false);
  });

  it('orders numbers by value, strings by UTF-8 and bytes unsigned', () => {
    expect(compare('number', '<', 40)).toBe(true);
    expect(compare('text', '>', 'a')).toBe(true);
    expect(compare('text', '>=', 'b')).toBe(true);
    expect(holds({ op: '>', attr: 'x', value: '\uffff' }, { ...item, x: '\u{1F600}' })).toBe(true);
    expect(compare('bytes', '>', new Uint8Array([1, 100, 1]))).toBe(true);
    expect(compare('bytes', '=', new Uint8Array([1, 200]))).toBe(true);
  });

  it('combines, also over nothing', () => {
    const yes: Condition = { op: 'exists', attr: 'pk' };
    const no: Condition = { op: 'missing', attr: 'pk' };
    expect(holds({ op: 'and', of: [yes, no] })).toBe(false);
    expect(holds({ op: 'or', of: [no, yes] })).toBe(true);
    expect(holds({ op: 'not', of: no })).toBe(true);
    expect(holds({ op: 'and', of: [] })).toBe(true);
    expect(holds({ op: 'or', of: [] })).toBe(false);
    expect(holds({ op: 'in', attr: 'number', values: ['5', 5] })).toBe(true);
    expect(holds({ op: 'in', attr: 'absent', values: [null] })).toBe(false);
    expect(holds({ op: 'in', attr: 'number', values: [] })).toBe(false);
  });

  it('is refused when it orders booleans or nulls, wherever it stands', () => {
    const wrong: Condition = { op: '<', attr: 'yes', value: true };
    expect(() => checkCondition({ op: 'or', of: [{ op: 'not', of: wrong }] })).toThrow(/does not order/);
    expect(() => checkCondition({ op: '>=', attr: 'x', value: null })).toThrow(/does not order/);
    expect(() => checkCondition({ op: '<>', attr: 'x', value: null })).not.toThrow();
  });
});
