import { describe, expect, it } from 'vitest';
import { parsePan } from './parse-pan.ts';

const END = 'everyRunEnds';

const report = (
  options: { first?: string; errors?: number; unreached?: string } = {},
): string => `${options.first ?? ''}

(Spin Version 6.5.2 -- 6 December 2019)
	+ Partial Order Reduction

State-vector 92 byte, depth reached 757, errors: ${options.errors ?? 0}
   361033 states, stored
   988888 states, matched
1.3499e+06 transitions (= stored+matched)

   35.316	actual memory usage for states (compression: 60.31%)
   43.254	total actual memory usage


${options.unreached ?? ''}
pan: elapsed time 0.9 seconds
`;

describe('a report of pan', () => {
  it('of a whole search', () => {
    expect(parsePan(report(), END)).toEqual({
      violated: null,
      truncated: null,
      states: 361_033,
      transitions: 1_349_900,
      depth: 757,
      megabytes: 43.254,
      unreached: new Map(),
    });
  });

  it('of liveness counts states once, however often they were visited', () => {
    const text = report().replace('361033 states, stored', '331515 states, stored (2.3316e+06 visited)');
    expect(parsePan(text, END)).toMatchObject({ states: 331_515 });
  });

  it.each([
    ['pan:1: assertion violated (((inc==i)&&(ep==e))||fencedWrites) (at depth 46)', 'fencedWrites'],
    ['pan:1: assertion violated ( !(early)||neverEarly) (at depth 312)', 'neverEarly'],
    ['pan:1: assertion violated (x==0) (at depth 3)', '(x==0)'],
    ['pan:1: invalid end state (at depth 27)', END],
    ['pan:1: acceptance cycle (at depth 257)', END],
  ])('of a violation names the property: %s', (first, violated) => {
    expect(parsePan(report({ first, errors: 1 }), END)).toMatchObject({ violated, truncated: null });
  });

  it.each(['max search depth too small', 'reached -DMEMLIM bound', 'out of memory', 'Search not completed'])(
    'of a search that was cut short says why: %s',
    (truncated) => {
      expect(parsePan(report({ first: `pan: ${truncated}` }), END)).toMatchObject({ violated: null, truncated });
    },
  );

  it('lists the places that were never reached, but for the ends of those that never end', () => {
    const unreached = `unreached in proctype Worker
	lease.pml:157, state 405, "assert((((inc==i)&&(ep==e))||fencedWrites))"
	lease.pml:432, state 19, "st = PENDING"
	(2 of 444 states)
unreached in proctype Index
	lease.pml:500, state 9, "-end-"
	(1 of 9 states)
unreached in init
	(0 of 7 states)
`;
    expect(parsePan(report({ unreached }), END).unreached).toEqual(
      new Map([
        [
          'Worker',
          [
            { state: 405, code: 'line 157: assert((((inc==i)&&(ep==e))||fencedWrites))' },
            { state: 19, code: 'line 432: st = PENDING' },
          ],
        ],
        ['Index', []],
        ['init', []],
      ]),
    );
  });

  it.each([
    ['nothing', ''],
    ['an error without a violation', report({ errors: 1 })],
    ['a violation without an error', report({ first: 'pan:1: invalid end state (at depth 27)' })],
  ])('that makes no sense is refused: %s', (_what, text) => {
    expect(() => parsePan(text, END)).toThrow(/pan/);
  });
});
