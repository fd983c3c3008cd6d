import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { measureDynamo, measureEmbedded } from '../../bench/cost-engines.ts';
import { checkLimits, growingCosts } from '../../bench/cost-limits.ts';
import type { Sizes } from '../../bench/cost-scenarios.ts';
import { type CostReport, differences, SCENARIO_NAMES } from '../../bench/figures.ts';
import { PEER_BILLS } from '../../bench/peer-bills.ts';
import { DYNAMO_ENGINES } from '../helpers/dynamo-engines.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';

const SIZES: Sizes = { steps: 300, asleep: 150 };
const ENGINE_TIMEOUT_MS = 120_000;

const keepsItsLimits = ({ scenarios }: CostReport): void => {
  expect(checkLimits(scenarios).filter(({ kept }) => !kept)).toEqual([]);
  expect(growingCosts(scenarios)).toEqual([]);
};

describe('docs/cost.md', () => {
  it('has every scenario, and the bills as they are computed', () => {
    const text = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8');
    for (const name of SCENARIO_NAMES) expect(text).toContain(`| ${name} |`);
    for (const { service, dollars } of PEER_BILLS) expect(text).toContain(`| ${service} | $${dollars.toFixed(2)} |`);
    expect(PEER_BILLS.map(({ dollars }) => Math.round(dollars))).toEqual([93, 252, 605]);
  });
});

let embedded: CostReport;
beforeAll(async () => {
  embedded = await measureEmbedded(SIZES);
}, ENGINE_TIMEOUT_MS);

describe('costs on the embedded table', () => {
  it('stay within the limits of the design', () => keepsItsLimits(embedded));

  it('are what the protocol says', () => {
    expect(embedded.scenarios).toMatchObject({
      // Start 3, claim 1, steps 10, complete 4: an index costs 1 to enter or leave and 2 to move in.
      'fresh-run-10': { writeUnits: 18, readUnits: 0, queueCalls: 3 },
      'fresh-run-10-poll': { writeUnits: 28 },
      // The takeover 3, the second claim 1, the dead worker's lost claim 1.
      'resumed-run-10': { writeUnits: 23 },
      // The decision 1, the head 3, the claim 1.
      sleep: { writeUnits: 5, timerCalls: 1 },
      // The start 3 and seven resends, after 30 s, then doubling up to 15 minutes.
      'unserved-hour': { writeUnits: 24, queueCalls: 8 },
      // The decision 1, the run 3, its record 1, the settling and its due row 3.
      'schedule-fire': { writeUnits: 8, timerCalls: 1 },
      'idle-tick': { readUnits: 0.5, asleep: 150, noneAsleep: { readUnits: 0.5 } },
      'step-10000-of-10000': { writeUnits: 1, readUnits: 0 },
    });
  });
});

for (const kind of DYNAMO_ENGINES) {
  const title = `costs on ${kind.name}`;
  if ('unavailable' in kind.launch) {
    skipLoudly(title, kind.launch.unavailable);
    continue;
  }
  describe(title, () => {
    let report: CostReport;
    beforeAll(async () => {
      report = await measureDynamo(kind, SIZES);
    }, ENGINE_TIMEOUT_MS);

    it('stay within the limits of the design', () => keepsItsLimits(report));

    it('are the same as on the embedded table', () => {
      expect(differences(report.scenarios, embedded.scenarios, [kind.name, 'embedded'])).toEqual([]);
    });
  });
}

describe('the checks of the costs', () => {
  const changed = (name: (typeof SCENARIO_NAMES)[number], change: object): CostReport['scenarios'] => ({
    ...embedded.scenarios,
    [name]: { ...embedded.scenarios[name], ...change },
  });

  it('name a figure that is over its limit', () => {
    const over = checkLimits(changed('sleep', { writeUnits: 8 })).filter(({ kept }) => !kept);
    expect(over).toEqual([{ what: 'sleep writeUnits', measured: 8, max: 7, kept: false }]);
  });

  it('name a figure that two engines count differently', () => {
    const other = changed('retried-step', { readUnits: 99 });
    const { readUnits } = embedded.scenarios['retried-step'];
    expect(differences(other, embedded.scenarios, ['one', 'other'])).toEqual([
      `retried-step.readUnits is 99 on one, but ${readUnits} on other`,
    ]);
  });

  it('name what grows with the length of a run or with the runs asleep', () => {
    expect(growingCosts(changed('step-10000-of-10000', { readUnits: 3 }))).toHaveLength(1);
    expect(growingCosts(changed('idle-tick', { readUnits: 3 }))).toHaveLength(1);
  });
});

describe('npm run bench:cost', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const bench = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'bench/cost.ts', ...args], { cwd: root, encoding: 'utf8' });

  it('prints one JSON object with every scenario', { timeout: ENGINE_TIMEOUT_MS }, () => {
    const { status, stdout, stderr } = bench('--json', '--engine', 'embedded');
    expect(status, stderr).toBe(0);
    const printed = JSON.parse(stdout) as CostReport;
    expect(Object.keys(printed)).toEqual(['engine', 'scenarios', 'limits', 'dollars']);
    expect(printed.engine).toBe('embedded');
    expect(Object.keys(printed.scenarios)).toEqual([...SCENARIO_NAMES]);
    for (const figures of Object.values(printed.scenarios)) {
      expect(figures).toMatchObject({
        writeUnits: expect.any(Number),
        readUnits: expect.any(Number),
        transactions: 0,
        queueCalls: expect.any(Number),
        roundTrips: { total: expect.any(Number) },
      });
    }
    const { startToFirstBody, perStep, finish } = printed.scenarios['fresh-run-10'].roundTrips;
    expect({ startToFirstBody, perStep, finish }).toEqual({ startToFirstBody: 4, perStep: 1, finish: 1 });
  });

  it('refuses an engine it does not know', () => {
    const { status, stdout, stderr } = bench('--engine', 'oracle');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('There is no engine "oracle"');
  });
});
