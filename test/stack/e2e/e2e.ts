import { real } from '../clock/movable-timer.ts';
import { grantName } from '../iam/grants.ts';
import { metricProblems } from '../metrics/metric-problems.ts';
import { E2eWorld } from './e2e-world.ts';
import { runScenarios, type ScenarioResult } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { runTokenScenarios } from './token-scenarios.ts';
import { explanationOf, unusedProblems } from './unused-grants.ts';

export interface E2eResult {
  readonly scenarios: number;
  readonly failed: number;
  readonly grants: number;
  readonly unusedGrants: number;
  readonly namedMetrics: number;
  readonly invocations: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

interface E2eOptions {
  /** Part of the names of scenarios; what all of them together must show is then left out. */
  readonly only: string | undefined;
  readonly say: (line: string) => void;
}

/** Everything that the stack must show on this machine. */
export async function e2e({ only, say }: E2eOptions): Promise<E2eResult> {
  const startedAt = real.monotonic();
  const scenarios = SCENARIOS.filter(({ name }) => name.includes(only ?? ''));
  const { bed, results } = await playOn(await E2eWorld.open(), scenarios, say);
  const tokens = only === undefined ? await runTokenScenarios(say) : [];
  const { grants } = bed.control;
  const used = new Set(results.flatMap((result) => result.used.map(({ sid }) => sid)));
  const unused = grants.filter(({ sid }) => !used.has(sid));
  for (const grant of only === undefined ? unused : []) {
    say(`unused ${grantName(grant)}: ${explanationOf(grant) ?? 'NOT EXPLAINED'}`);
  }
  const metrics = metricProblems(bed.template, bed.metrics);
  return {
    ...figuresOf([...results, ...tokens]),
    grants: grants.length,
    unusedGrants: unused.length,
    namedMetrics: metrics.named,
    invocations: [...bed.functions.values()].reduce((sum, { invocations }) => sum + invocations, 0),
    seconds: Math.round((real.monotonic() - startedAt) / 1000),
    problems: [
      ...failures([...results, ...tokens]),
      ...(only === undefined ? [...metrics.problems, ...unusedProblems(grants, unused)] : []),
    ],
  };
}

async function playOn(world: E2eWorld, scenarios: readonly Scenario[], say: (line: string) => void) {
  try {
    return { bed: world.bed, results: await runScenarios(world, scenarios, say) };
  } finally {
    await world.close();
  }
}

const figuresOf = (results: readonly ScenarioResult[]) => ({
  scenarios: results.length,
  failed: results.filter(({ problem }) => problem !== null).length,
});

const failures = (results: readonly ScenarioResult[]): string[] =>
  results.flatMap(({ name, problem }) => (problem === null ? [] : [`${name}: ${problem}`]));
