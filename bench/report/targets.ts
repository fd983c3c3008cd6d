import type { PerformanceReport } from './performance-report.ts';

/** What was promised of the engine, and what was measured. */
export interface Target {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  readonly bound: 'at least' | 'at most' | 'below';
  readonly limit: number;
  /** What would be better still. */
  readonly hope?: number;
  readonly holds: boolean;
}

/** How far two sizes of the same load may be apart. */
const FLAT = 1.2;

export function targets({ speed, peers }: PerformanceReport): readonly Target[] {
  const ratio = (name: string): number | undefined => peers?.ratios[name];
  const finished = speed.w9?.finished ?? [];
  const throughputs = finished.map(({ stepsPerS }) => stepsPerS);
  const waiting = speed.w9?.waiting;
  const empty = finished.find((store) => store.finished === 0);
  const beside = waiting === undefined || empty === undefined ? undefined : empty.stepsPerS / waiting.stepsPerS;
  const slowest = finished.length < 2 ? undefined : Math.max(...throughputs) / Math.min(...throughputs);
  const all: readonly (readonly [string, number | undefined, string, Target['bound'], number, number?])[] = [
    ['W1, p50 over that of the best peer', ratio('w1.p50Ms'), '×', 'at most', 0.333],
    ['W2, steps/s over those of the best peer', ratio('w2.stepsPerS'), '×', 'at least', 4, 8],
    ['W3, p50 over that of the best peer', ratio('w3.p50Ms'), '×', 'at most', 0.5],
    ['W4, p50 over that of the best peer', ratio('w4.p50Ms'), '×', 'at most', 0.333],
    ['W5, resumption over that of the best peer', ratio('w5.resumedMs'), '×', 'at most', 1],
    ['W6, lateness over that of the best peer', ratio('w6.p50LateMs'), '×', 'at most', 1],
    ['W7, last 100 of 10,000 steps over the first', speed.w7?.lastOverFirst, '×', 'at most', FLAT],
    ['W8, memory after 10,000 runs', speed.w8?.rssMb, ' MB', 'below', 150],
    ['W8 of the server, with its clients elsewhere', speed.http?.w8?.rssMb, ' MB', 'below', 150],
    ['W9, the fastest store over the slowest', slowest, '×', 'at most', FLAT],
    ['W9, an empty store over one with runs that wait', beside, '×', 'at most', FLAT],
  ];
  return all.flatMap(([what, measured, unit, bound, limit, hope]) => {
    if (measured === undefined) return [];
    const holds = bound === 'below' ? measured < limit : bound === 'at most' ? measured <= limit : measured >= limit;
    const target = { what, measured: Number(measured.toPrecision(3)), unit, bound, limit, holds };
    return [hope === undefined ? target : { ...target, hope }];
  });
}
