import { describe, expect, it } from 'vitest';
import { parseCron } from '../../shared/model/cron-expression.ts';
import { nextCronFire } from '../../shared/model/cron-fires.ts';
import { fireTimes, specProblem } from '../../shared/model/schedule-spec.ts';
import { TimeZone } from '../../shared/model/time-zone.ts';
import { compareZone } from './compare-zone.ts';
import { ZONES } from './zones.ts';

function fires(expression: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  const fields = parseCron(expression);
  for (let at = nextCronFire(fields, TimeZone.of(zone), Date.parse(after)); found.length < count; ) {
    if (at === null) break;
    found.push(new Date(at).toISOString().replace(':00.000Z', 'Z'));
    at = nextCronFire(fields, TimeZone.of(zone), at);
  }
  return found;
}

describe('when clocks are put forward, from 02:00 to 03:00 in Berlin', () => {
  const berlin = (expression: string, count: number) =>
    fires(expression, 'Europe/Berlin', '2027-03-28T00:00:00Z', count);

  it('a time that is skipped fires at the first instant after', () => {
    expect(berlin('30 2 * * *', 2)).toEqual(['2027-03-28T01:00Z', '2027-03-29T00:30Z']);
  });

  it('many that are skipped fire once', () => {
    expect(berlin('*/10 2 * * *', 2)).toEqual(['2027-03-28T01:00Z', '2027-03-29T00:00Z']);
  });

  it('every hour goes by elapsed time', () => {
    expect(berlin('30 * * * *', 2)).toEqual(['2027-03-28T00:30Z', '2027-03-28T01:30Z']);
  });
});

describe('when clocks are put back, from 03:00 to 02:00 in Berlin', () => {
  const berlin = (expression: string, count: number) =>
    fires(expression, 'Europe/Berlin', '2027-10-30T23:59:59Z', count);

  it('a time that comes twice fires the first time', () => {
    expect(berlin('30 2 * * *', 2)).toEqual(['2027-10-31T00:30Z', '2027-11-01T01:30Z']);
  });

  it('every hour goes by elapsed time', () => {
    expect(berlin('30 * * * *', 3)).toEqual(['2027-10-31T00:30Z', '2027-10-31T01:30Z', '2027-10-31T02:30Z']);
  });
});

describe('an expression', () => {
  const utc = (expression: string, count: number) => fires(expression, 'UTC', '2027-01-15T08:00:00Z', count);

  it.each([
    ['0 0 * * * *', 'seconds come first, so hourly', ['2027-01-15T09:00Z', '2027-01-15T10:00Z']],
    ['@daily', 'a nickname', ['2027-01-16T00:00Z', '2027-01-17T00:00Z']],
    ['@weekly', 'Sunday', ['2027-01-17T00:00Z', '2027-01-24T00:00Z']],
    ['0 12 L * *', 'the last day of the month', ['2027-01-31T12:00Z', '2027-02-28T12:00Z']],
    ['0 12 * * 5L', 'the last Friday', ['2027-01-29T12:00Z', '2027-02-26T12:00Z']],
    ['0 12 * * TUE#2', 'the second Tuesday', ['2027-02-09T12:00Z', '2027-03-09T12:00Z']],
    ['0 12 * * SAT-SUN', 'a range until Sunday', ['2027-01-16T12:00Z', '2027-01-17T12:00Z']],
    ['0 12 20 * MON', 'either day', ['2027-01-18T12:00Z', '2027-01-20T12:00Z']],
    ['0 12 ? jan mon-fri/2', 'names in any case', ['2027-01-15T12:00Z', '2027-01-18T12:00Z']],
    ['0 0 29 2 *', 'leap years', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['0 0 * 2 MON#5', 'the rarest day', ['2044-02-29T00:00Z', '2072-02-29T00:00Z']],
    ['58/1 8 * * *', 'from a minute on', ['2027-01-15T08:58Z', '2027-01-15T08:59Z']],
  ])('%s: %s', (expression, _what, expected) => {
    expect(utc(expression, 2)).toEqual(expected);
  });

  it('that never fires is found out, and no loop', () => {
    expect(utc('0 0 30 2 *', 1)).toEqual([]);
  });
});

describe('a spec', () => {
  const spec = { cron: [], intervals: [], timeZone: 'UTC', startAt: null, endAt: null, jitterMs: 0 };

  it('counts its intervals from 1970 on', () => {
    const times = fireTimes({ ...spec, intervals: [{ everyMs: 7_000, offsetMs: 3_000 }] });
    expect([times.next(0), times.next(3_000), times.next(1_800_000_000_000)]).toEqual([
      3_000, 10_000, 1_800_000_002_000,
    ]);
  });

  it('with no fire between its bounds is refused', () => {
    const bounds = { startAt: Date.UTC(2027, 0, 2), endAt: Date.UTC(2027, 0, 3) };
    expect(specProblem({ ...spec, cron: ['0 0 1 6 *'], ...bounds }, 0)).toContain('no fire between');
  });
});

describe('against a scan of every minute, and of every second around each change of clocks', () => {
  it.each(ZONES.filter((_, n) => n % 7 === 2).map((zone, n) => [zone, n] as const))('%s, in a year', (zone, n) => {
    const year = 2027 + n;
    const range = { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) };
    const found = compareZone(zone, { ...range, expressions: 2, seed: 100 + n });
    expect(found.differences).toEqual([]);
    expect(found.fires).toBeGreaterThan(0);
  });
});
