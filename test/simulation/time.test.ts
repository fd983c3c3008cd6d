import { expect, it } from 'vitest';
import { runScript } from './run-script.ts';

interface Report {
  readonly fires: number;
  readonly wakes: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: readonly unknown[];
}

it('schedules fire once, in time and within their bounds, and sleeps end, whatever goes wrong', async () => {
  const report = await runScript<Report>('play-time.ts', ['--events', '150', '--fires', '100', '--days', '20']);
  expect(report.violations).toEqual([]);
  expect(report.fires).toBeGreaterThan(50);
  expect(report.wakes).toBeGreaterThan(50);
  const faults = Object.values(report.faults).reduce((sum, count) => sum + count, 0);
  expect(faults).toBeGreaterThan(100);
}, 120_000);
