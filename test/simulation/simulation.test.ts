import { describe, expect, it } from 'vitest';
import { DYNAMO_ENGINES } from '../helpers/dynamo-engines.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';
import { type ExhaustiveReport, SINGLE_FAULTS } from './exhaustive.ts';
import { RESCUES } from './invariants/rescues.ts';
import { MUTANTS } from './mutants.ts';
import { REGRESSIONS } from './regressions.ts';
import type { Caught } from './run-mutants.ts';
import { runScript } from './run-script.ts';
import type { SeedsReport } from './run-seeds.ts';
import { FAULT_KINDS } from './world/fault-plan.ts';

const SEEDS = Number(process.env['KAGZI_SIM_SEEDS'] ?? 2_000);
const PER_SEED_MS = 600;

describe('the simulator', () => {
  it(`plays ${SEEDS} seeds in which everything goes wrong, and nothing breaks`, {
    timeout: SEEDS * PER_SEED_MS,
  }, async () => {
    const report = await runScript<SeedsReport>('cli.ts', ['--seeds', `${SEEDS}`]);
    expect(report.violations).toEqual([]);
    expect(report.seeds).toBe(SEEDS);
    expect(report.faultsPerSeed.mean).toBeGreaterThan(20);
    expect(FAULT_KINDS.filter((kind) => (report.faults[kind] ?? 0) === 0)).toEqual([]);
    expect(RESCUES.filter((rescue) => (report.rescues[rescue] ?? 0) === 0)).toEqual([]);
  });

  it('puts one fault of every kind at every call of the canonical workflows', { timeout: 600_000 }, async () => {
    const report = await runScript<ExhaustiveReport>('run-exhaustive.ts', []);
    expect(report.violations).toEqual([]);
    expect(report.kinds).toEqual([...SINGLE_FAULTS]);
    expect(report.struck).toBeGreaterThan(4_000);
  });
});

describe('the simulator of an engine with one thing wrong', () => {
  it('catches it, whatever it is', { timeout: 600_000 }, async () => {
    const all = await runScript<readonly Caught[]>('run-mutants.ts', []);
    expect(all).toHaveLength(MUTANTS.length);
    expect(all.filter(({ by }) => by === null)).toEqual([]);
  });
});

describe('what the simulator has found', () => {
  it('stays mended', async () => {
    const plays = await runScript<readonly { name: string; faults: number; violations: unknown[] }[]>(
      'run-regressions.ts',
      [],
    );
    expect(plays).toHaveLength(REGRESSIONS.length);
    // A play whose faults no longer strike shows nothing, but where dying workers are enough.
    const shows = ({ name, faults }: { name: string; faults: number }): boolean =>
      faults > 0 || name.startsWith('seed');
    expect(plays.filter((one) => !shows(one) || one.violations.length > 0)).toEqual([]);
  });
});

describe('the simulated table beside a real one', () => {
  const mirrored = (name: string, seeds: number): void => {
    it(`answers every call of ${seeds} seeds as ${name} does`, { timeout: 300_000 }, async () => {
      const report = await runScript<{ calls: number; violations: unknown[] }>('run-mirrored.ts', [name, `${seeds}`]);
      expect(report.violations).toEqual([]);
      expect(report.calls).toBeGreaterThan(seeds * 100);
    });
  };
  mirrored('sqlite', 10);
  const [dynoxide] = DYNAMO_ENGINES;
  if (dynoxide === undefined || 'unavailable' in dynoxide.launch) {
    skipLoudly('the simulated table beside dynoxide', 'it is not installed');
  } else mirrored('dynoxide', 4);
});
