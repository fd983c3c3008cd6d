import { describe, expect, it } from 'vitest';
import { indexWriteUnits, readUnits, tableWriteUnits } from '../../shared/model/capacity-units.ts';
import { itemSize, valueSize } from '../../shared/model/item-size.ts';
import { compareUtf8, utf8Length } from '../../shared/model/utf8-order.ts';

const key = { pk: 'p', sk: 's' };

describe('sizes', () => {
  it.each([
    [0, 1],
    [1, 2],
    [100, 2],
    [12, 2],
    [123, 3],
    [-1, 3],
    [1.5, 3],
    [0.5, 2],
    [0.05, 2],
    [12.34, 3],
    [100.5, 4],
    [1e20, 2],
    [1.5e30, 3],
    [1e-7, 2],
    [1731917915123, 8],
    [1731917915000, 7],
  ])('of the number %d are what DynamoDB Local counts', (value, bytes) => {
    expect(valueSize(value)).toBe(bytes);
  });

  it('count names, UTF-8 bytes and the overhead of lists and maps', () => {
    expect(itemSize(key)).toBe(6);
    expect(itemSize({ ...key, é: '\u{1F600}' })).toBe(6 + 2 + 4);
    expect(valueSize([])).toBe(3);
    expect(valueSize([null, true])).toBe(7);
    expect(valueSize({ a: { b: 'x' } })).toBe(3 + 1 + 1 + (3 + 1 + 1 + 1));
    expect(valueSize(new Uint8Array(5))).toBe(5);
  });
});

describe('units', () => {
  it('round up, and cost at least one', () => {
    expect([tableWriteUnits(0), tableWriteUnits(1024, 5), tableWriteUnits(5, 1025)]).toEqual([1, 1, 2]);
    expect([readUnits(0, false), readUnits(4096, true), readUnits(4097, false)]).toEqual([0.5, 1, 1]);
  });

  it('of an index are 1 to enter, 2 to move, 1 to leave and none to stay', () => {
    const there = { ...key, dk: 'd', ds: '1' };
    expect(indexWriteUnits(null, there)).toBe(1);
    expect(indexWriteUnits(there, { ...there, x: 1 })).toBe(0);
    expect(indexWriteUnits(there, { ...there, ds: '2' })).toBe(2);
    expect(indexWriteUnits(there, { ...key, dk: 'd' })).toBe(1);
    expect(indexWriteUnits(there, null)).toBe(1);
    expect(indexWriteUnits(key, null)).toBe(0);
  });
});

describe('UTF-8 order', () => {
  it('is that of the bytes', () => {
    const texts = [
      '',
      'a',
      'a\u0000',
      'ab',
      '\u007f',
      'é',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{1F600}',
      '\u{10ffff}',
    ];
    for (const a of texts) {
      expect(utf8Length(a)).toBe(Buffer.byteLength(a));
      for (const b of texts) {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }
    }
  });
});
