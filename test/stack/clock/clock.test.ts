import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { real } from './movable-timer.ts';
import { clockAhead, installClock, moveClock, uninstallClock } from './moved-clock.ts';

const HOUR = 3_600_000;
beforeEach(() => installClock(0));
afterEach(() => uninstallClock());

it('moves dates, the monotonic time and new dates alike', () => {
  const before = { now: Date.now(), monotonic: performance.now() };
  moveClock(HOUR);
  expect(Date.now() - before.now).toBeGreaterThanOrEqual(HOUR);
  expect(Date.parse(new Date().toISOString()) - before.now).toBeGreaterThanOrEqual(HOUR - 1);
  expect(performance.now() - before.monotonic).toBeGreaterThanOrEqual(HOUR);
  expect(new Date(5)).toBeInstanceOf(Date);
  expect(clockAhead()).toBe(HOUR);
});

it('fires what becomes due, in its order, and leaves what does not', async () => {
  const fired: string[] = [];
  const late = setTimeout(() => fired.push('in two hours'), 2 * HOUR);
  setTimeout(() => fired.push('in 50 minutes'), 50 * 60_000);
  void pause(40 * 60_000).then(() => fired.push('in 40 minutes'));
  const often = setInterval(() => fired.push('every 59 minutes'), 59 * 60_000);
  clearTimeout(setTimeout(() => fired.push('never'), HOUR));
  moveClock(HOUR);
  await new Promise((resolve) => real.setTimeout(resolve, 300));
  clearTimeout(late);
  clearInterval(often);
  expect(fired).toEqual(['in 40 minutes', 'in 50 minutes', 'every 59 minutes']);
});

it('an aborted pause ends at once', async () => {
  const stop = new AbortController();
  const waiting = pause(HOUR, undefined, { signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});

it('is gone when it is uninstalled', () => {
  moveClock(HOUR);
  uninstallClock();
  expect(Math.abs(Date.now() - real.now())).toBeLessThan(HOUR);
  expect(setTimeout).toBe(real.setTimeout);
});
