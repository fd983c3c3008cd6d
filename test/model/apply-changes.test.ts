import { describe, expect, it } from 'vitest';
import { applyChanges, checkChanges } from '../../shared/model/apply-changes.ts';

const key = { pk: 'p', sk: 's' };

describe('changes', () => {
  it('set, set if missing, add and remove', () => {
    const item = { ...key, a: 1, b: null, c: 3, d: 4 };
    const changes = { set: { a: 'x' }, setIfMissing: { b: 1, e: 5 }, add: { c: 2, f: 6 }, remove: ['d', 'never'] };
    expect(applyChanges(key, item, changes)).toEqual({ ...key, a: 'x', b: null, c: 5, e: 5, f: 6 });
    expect(item).toEqual({ ...key, a: 1, b: null, c: 3, d: 4 });
  });

  it('create a missing item with its key', () => {
    expect(applyChanges(key, null, { remove: ['x'] })).toEqual(key);
    expect(applyChanges(key, null, {})).toEqual(key);
  });

  it('keep an attribute named __proto__', () => {
    const set = JSON.parse('{"__proto__":"own"}') as Record<string, string>;
    const changed = applyChanges(key, null, { set });
    expect(Object.hasOwn(changed, '__proto__')).toBe(true);
    expect(Object.keys(applyChanges(key, changed, { remove: ['__proto__'] }))).toEqual(['pk', 'sk']);
  });

  it('add in decimal', () => {
    expect(applyChanges(key, { ...key, n: 0.1 }, { add: { n: 0.2 } })['n']).toBe(0.3);
    expect(applyChanges(key, { ...key, n: 1e21 }, { add: { n: -1e21 } })['n']).toBe(0);
    expect(applyChanges(key, { ...key, n: -1.5 }, { add: { n: 0.25 } })['n']).toBe(-1.25);
  });

  it('refuse to add to what is no number', () => {
    for (const n of ['1', null, true]) {
      expect(() => applyChanges(key, { ...key, n }, { add: { n: 1 } })).toThrow(/not a number/);
    }
    expect(() => applyChanges(key, { ...key, n: 1e100 }, { add: { n: 1 } })).toThrow(/digits/);
  });

  it('are refused when they touch the key or an attribute twice', () => {
    expect(() => checkChanges({ set: { pk: 'p' } })).toThrow(/key/);
    expect(() => checkChanges({ remove: ['sk'] })).toThrow(/key/);
    expect(() => checkChanges({ set: { a: 1 }, add: { a: 1 } })).toThrow(/twice/);
  });
});
