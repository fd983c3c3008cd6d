import { describe, expect, it } from 'vitest';
import { durationMs } from '../../shared/model/duration.ts';

const DAY = 86_400_000;

describe('durationMs', () => {
  it.each([
    [0, 0],
    [1500, 1500],
    [0.2, 1],
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5 seconds', 1500],
    ['5m', 300_000],
    ['5 min', 300_000],
    ['1h 30m', 5_400_000],
    ['1 day', DAY],
    ['3 days', 3 * DAY],
    ['2 weeks, 1 day', 15 * DAY],
    [' 1 Year ', 365 * DAY],
    ['100 years', 36_500 * DAY],
  ])('reads %j', (given, ms) => {
    expect(durationMs(given)).toBe(ms);
  });

  it.each([
    '',
    ' ',
    '5',
    'five days',
    '5 lightyears',
    '1d x',
    '-1s',
    '1e3s',
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '101 years',
  ])('refuses %j', (given) => {
    expect(() => durationMs(given)).toThrow(RangeError);
  });
});
