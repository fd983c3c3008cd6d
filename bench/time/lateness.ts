import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, percentile, rounded } from '../speed/statistics.ts';

export interface Lateness {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export const latenessOf = (all: readonly number[]): Lateness => ({
  p50Ms: rounded(median(all)),
  p99Ms: rounded(percentile(all, 0.99)),
  maxMs: rounded(Math.max(...all)),
});
export const earlyOf = (all: readonly number[]): number => all.filter((ms) => ms < 0).length;

/** Of timers as long, in a process that does nothing else. */
export async function idleLateness(delays: readonly number[]): Promise<readonly number[]> {
  const script = fileURLToPath(new URL('idle-process.ts', import.meta.url));
  const args = ['--import', 'tsx', script, JSON.stringify(delays)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e7 });
  return JSON.parse(stdout) as readonly number[];
}

/** From the shortest to the longest, as many as asked for. */
export const delaysOf = (count: number, shortestMs: number, longestMs: number): readonly number[] =>
  Array.from({ length: count }, (_, n) => Math.round(shortestMs + ((longestMs - shortestMs) * n) / (count - 1)));
