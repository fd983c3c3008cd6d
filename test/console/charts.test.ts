import { expect, it } from 'vitest';
import { CHARTS, lineOf } from '../../console/page/health/charts.ts';
import { METRICS } from '../../shared/ports/telemetry.ts';

it('every metric of the engine, which are those of the dashboard in CloudWatch, is in a chart', () => {
  const shown = CHARTS.filter(({ of }) => of === 'counters').flatMap(({ series }) => series);
  expect([...new Set(shown.flatMap(({ name, per }) => (per === undefined ? [name] : [name, per])))].sort()).toEqual(
    Object.keys(METRICS).sort(),
  );
});

it('sums what was counted by the minute, and divides one sum by another', () => {
  const history = {
    interval_ms: 10_000,
    end_at: '2026-11-18T12:00:00.000Z',
    counters: {
      schedules_fired: [...Array<null>(348).fill(null), 1, 1, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0],
      schedule_lag_ms: [...Array<null>(348).fill(null), 100, 300, 0, 0, 0, 0, 2_000, 0, 0, 0, 0, 0],
    },
    gauges: {},
  };
  const [fires] = CHARTS.filter(({ title }) => title === 'Schedules');
  const [lag] = CHARTS.filter(({ title }) => title === 'Fires came late by');
  const lineIn = (chart: typeof fires) => {
    const [series] = chart?.series ?? [];
    if (chart === undefined || series === undefined) throw new Error('There is no such chart.');
    const { points, value } = lineOf(chart, series, history);
    return { points: points.slice(-3), value };
  };
  expect(lineIn(fires)).toEqual({ points: [null, 2, 4], value: 6 });
  expect(lineIn(lag)).toEqual({ points: [null, 200, 500], value: 400 });
});
