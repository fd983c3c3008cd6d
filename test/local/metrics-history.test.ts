import { expect, it } from 'vitest';
import { MetricsHistory } from '../../local/metrics-history.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

const START = 1_000_000_000_000;

async function history() {
  const clock = new ManualClock(START);
  return { clock, history: new MetricsHistory(clock, ['runs_started', 'write_units']) };
}

it('counts into samples of ten seconds, the newest last', async () => {
  const { clock, history: kept } = await history();
  kept.count('runs_started');
  kept.count('runs_started', 2);
  await clock.advance(10_000);
  kept.count('write_units', 0.5);
  await clock.advance(10_000);
  const { intervalMs, endAt, counters } = kept.read();
  expect({ intervalMs, endAt }).toEqual({ intervalMs: 10_000, endAt: START + 20_000 });
  expect(counters['runs_started']).toHaveLength(360);
  expect(counters['runs_started']?.slice(-4)).toEqual([null, 3, 0, 0]);
  expect(counters['write_units']?.slice(-4)).toEqual([null, 0, 0.5, 0]);
});

it('shows what was measured, and nothing where nobody measured', async () => {
  const { clock, history: kept } = await history();
  kept.measure({ queue_ready: 4 });
  await clock.advance(20_000);
  kept.measure({ queue_ready: 7 });
  expect(kept.read().gauges['queue_ready']?.slice(-4)).toEqual([null, 4, null, 7]);
});

it('forgets what is older than an hour', async () => {
  const { clock, history: kept } = await history();
  kept.count('runs_started', 5);
  await clock.advance(3_590_000);
  kept.count('runs_started', 1);
  expect(kept.read().counters['runs_started']?.[0]).toBe(5);
  await clock.advance(10_000);
  kept.count('runs_started', 1);
  const counted = kept.read().counters['runs_started'];
  expect(counted).toHaveLength(360);
  expect(counted?.reduce((sum: number, value) => sum + (value ?? 0), 0)).toBe(2);
});

it('ignores what is no count', async () => {
  const { history: kept } = await history();
  for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY]) kept.count('write_units', value);
  expect(kept.read().counters['write_units']?.at(-1)).toBe(0);
});
