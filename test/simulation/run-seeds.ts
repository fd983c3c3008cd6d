import { RESCUES } from './invariants/rescues.ts';
import type { Violation } from './invariants/rules.ts';
import { type SeedReport, simulate } from './simulate.ts';
import { FAULT_KINDS } from './world/fault-plan.ts';

export interface SeedsReport {
  readonly seeds: number;
  readonly from: number;
  readonly faults: Record<string, number>;
  readonly faultsPerSeed: { readonly least: number; readonly mean: number };
  readonly rescues: Record<string, number>;
  readonly violations: readonly { readonly seed: number; readonly invariant: string; readonly message: string }[];
  readonly playedTwice: number;
  readonly runs: number;
  readonly steps: number;
  readonly calls: number;
  readonly virtualHours: number;
  readonly seconds: number;
}

export interface SeedsOptions {
  readonly from: number;
  readonly seeds: number;
  readonly stopAtFirst?: boolean;
  readonly onProgress?: (done: number, violations: number) => void;
  readonly onViolation?: (seed: number, violation: Violation) => void;
}

/** Every so many seeds are played twice, and must go the same way. */
const TWICE_EVERY = 50;
/** Every so many are played without a fault: what is left behind then, no crash has left. */
const CALM_EVERY = 25;

const isCalm = (seed: number): boolean => seed % CALM_EVERY === 0;
export const play = (seed: number, print = false): Promise<SeedReport> =>
  simulate({ seed, print, ...(isCalm(seed) ? { limits: { max: 0 } } : {}) });

export async function runSeeds({
  from,
  seeds,
  stopAtFirst,
  onProgress,
  onViolation,
}: SeedsOptions): Promise<SeedsReport> {
  const startedAt = performance.now();
  const all = { faults: zeroes(FAULT_KINDS), rescues: zeroes(RESCUES) };
  const sums = {
    runs: 0,
    steps: 0,
    calls: 0,
    virtualMs: 0,
    faults: 0,
    playedTwice: 0,
    least: Number.POSITIVE_INFINITY,
  };
  const violations: { seed: number; invariant: string; message: string }[] = [];
  let done = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const report = await play(seed);
    done += 1;
    for (const [kind, count] of Object.entries(report.faults)) all.faults[kind] = (all.faults[kind] ?? 0) + count;
    for (const [kind, count] of Object.entries(report.rescues)) all.rescues[kind] = (all.rescues[kind] ?? 0) + count;
    for (const key of ['runs', 'steps', 'calls', 'virtualMs'] as const) sums[key] += report[key];
    sums.faults += report.faultCount;
    if (!isCalm(seed)) sums.least = Math.min(sums.least, report.faultCount);
    const [first] = report.violations;
    if (first !== undefined) {
      violations.push({ seed, ...first });
      onViolation?.(seed, first);
    }
    if (seed % TWICE_EVERY === 1) {
      sums.playedTwice += 1;
      const { hash } = await play(seed);
      const message = `${report.hash} the first time, ${hash} the second`;
      if (hash !== report.hash) violations.push({ seed, invariant: 'DETERMINISM', message });
    }
    onProgress?.(done, violations.length);
    if (stopAtFirst === true && violations.length > 0) break;
  }
  return {
    seeds: done,
    from,
    ...all,
    faultsPerSeed: { least: sums.least === Number.POSITIVE_INFINITY ? 0 : sums.least, mean: sums.faults / done },
    violations,
    playedTwice: sums.playedTwice,
    runs: sums.runs,
    steps: sums.steps,
    calls: sums.calls,
    virtualHours: Math.round(sums.virtualMs / 3_600_000),
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
}

const zeroes = (names: readonly string[]): Record<string, number> => Object.fromEntries(names.map((name) => [name, 0]));

/** What several processes did, as one. */
export function merged(reports: readonly SeedsReport[], seconds: number): SeedsReport {
  const sum = (of: (report: SeedsReport) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const sums = (of: (report: SeedsReport) => Record<string, number>): Record<string, number> =>
    Object.fromEntries(
      [...new Set(reports.flatMap((report) => Object.keys(of(report))))].map((key) => [
        key,
        sum((report) => of(report)[key] ?? 0),
      ]),
    );
  const seeds = sum((report) => report.seeds);
  return {
    seeds,
    from: Math.min(...reports.map(({ from }) => from)),
    faults: sums(({ faults }) => faults),
    faultsPerSeed: {
      least: Math.min(...reports.map(({ faultsPerSeed }) => faultsPerSeed.least)),
      mean: Math.round((sum((report) => report.faultsPerSeed.mean * report.seeds) / seeds) * 10) / 10,
    },
    rescues: sums(({ rescues }) => rescues),
    violations: reports.flatMap((report) => report.violations),
    playedTwice: sum((report) => report.playedTwice),
    runs: sum((report) => report.runs),
    steps: sum((report) => report.steps),
    calls: sum((report) => report.calls),
    virtualHours: sum((report) => report.virtualHours),
    seconds,
  };
}
