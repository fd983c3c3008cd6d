import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue, UnstorableError } from '../../sdk/values.ts';

const roundTrip = (value: unknown): unknown => decodeValue(encodeValue(value));

describe('values', () => {
  it.each([
    ['a date', new Date('2026-11-18T10:00:00.123Z')],
    [
      'a map with any keys',
      new Map<unknown, unknown>([
        [{ a: 1 }, new Set([1])],
        ['x', undefined],
        [3n, null],
      ]),
    ],
    ['a set', new Set(['a', 1, null, new Date(0)])],
    ['a big integer', 123456789012345678901234567890n],
    ['undefined in objects and arrays', { a: undefined, b: [undefined, null] }],
    ['bytes', { data: new Uint8Array([0, 255, 128]) }],
    ['numbers JSON has no form for', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0]],
    ['a URL', new URL('https://example.com/a?b=c')],
    ['a regular expression', /a+b/giu],
    ['an object with the reserved key', { $kagzi: 'date', value: 'not a date', more: { $kagzi: 1 } }],
    ['strings of any kind', ['', '\u0000', '\ud800', '\u{1F600}', '$kagzi']],
    ['keys of any kind', JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "": 3}')],
  ])('keeps %s', (_name, value) => {
    expect(roundTrip(value)).toStrictEqual(value);
  });

  it('leaves plain JSON as it is', () => {
    const plain = { a: [1, 'x', true, null, { b: {} }] };
    expect(encodeValue(plain)).toBe(JSON.stringify(plain));
  });

  it('stores nothing for undefined', () => {
    expect(encodeValue(undefined)).toBeUndefined();
    expect(decodeValue(undefined)).toBeUndefined();
  });

  it('does not pollute prototypes', () => {
    const back = roundTrip(JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('keeps errors with their class where it is built in, their code, cause and own properties', () => {
    const error = Object.assign(new TypeError('no', { cause: new RangeError('why') }), {
      code: 'E_NO',
      at: new Date(0),
    });
    const back = roundTrip(error) as typeof error;
    expect(back).toBeInstanceOf(TypeError);
    expect(back).toMatchObject({ message: 'no', code: 'E_NO', at: new Date(0) });
    expect(back.cause).toBeInstanceOf(RangeError);
    expect(back.stack).toBe(error.stack);
  });

  it('keeps the errors of an aggregate, and its class', () => {
    const back = roundTrip(new AggregateError([new TypeError('one'), 'two'], 'many')) as AggregateError;
    expect(back).toBeInstanceOf(AggregateError);
    expect(back).toMatchObject({ name: 'AggregateError', message: 'many', errors: [{ message: 'one' }, 'two'] });
    expect(back.errors[0]).toBeInstanceOf(TypeError);
    expect(Object.keys(back)).toEqual([]);
  });

  it('keeps an error whose own properties are named like its prototype', () => {
    const error = Object.defineProperty(new TypeError('no'), '__proto__', { value: { evil: 1 }, enumerable: true });
    const back = roundTrip(error) as TypeError & { readonly evil?: number };
    expect(back).toBeInstanceOf(TypeError);
    expect(back.evil).toBeUndefined();
    expect(Object.getOwnPropertyDescriptor(back, '__proto__')?.value).toEqual({ evil: 1 });
  });

  it('keeps any JSON-like value', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: false }),
        (value) => {
          expect(roundTrip(value)).toStrictEqual(value);
        },
      ),
      { seed: 7, numRuns: 300 },
    );
  });

  class Money {}
  it.each([
    ['a function', { items: [{}, { handler: () => 1 }] }, 'output.items[1].handler cannot be stored: it is a function'],
    ['a symbol', { s: Symbol('x') }, 'output.s cannot be stored: it is a symbol'],
    [
      'a class instance',
      { 'the price': new Money() },
      'output["the price"] cannot be stored: it is an instance of Money',
    ],
    ['a promise', [Promise.resolve(1)], 'output[0] cannot be stored: it is an instance of Promise'],
    ['a symbol key', { [Symbol('k')]: 1 }, 'output cannot be stored: it has a key that is a symbol'],
    ['a map value', new Map([['a', () => 1]]), 'output.get("a") cannot be stored: it is a function'],
    [
      'a map value under a key without a text',
      new Map([[Object.create(null), () => 1]]),
      'output.get(an object) cannot be stored: it is a function',
    ],
  ])('refuses %s and names its path', (_name, value, message) => {
    expect(() => encodeValue(value, 'output')).toThrow(UnstorableError);
    expect(() => encodeValue(value, 'output')).toThrow(message);
  });

  it('refuses a cycle, but not the same thing twice', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = { cycle };
    expect(() => encodeValue(cycle, 'input')).toThrow('input.self.cycle cannot be stored: it contains itself');
    const shared = { a: 1 };
    expect(roundTrip([shared, shared])).toStrictEqual([{ a: 1 }, { a: 1 }]);
  });

  it('refuses what is nested too deeply', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 300; level++) deep = [deep];
    expect(() => encodeValue(deep)).toThrow('nested more than');
  });
});
