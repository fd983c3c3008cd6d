import { real } from '../clock/movable-timer.ts';
import type { Refusal } from '../iam/access-control.ts';
import type { Grant } from '../iam/grants.ts';
import type { E2eWorld } from './e2e-world.ts';
import type { Scenario } from './scenario.ts';

export interface ScenarioResult {
  readonly name: string;
  /** What was wrong; null if nothing was. */
  readonly problem: string | null;
  readonly seconds: number;
  /** What roles did not allow: a problem, too. */
  readonly refused: readonly Refusal[];
  /** The grants that it needed. */
  readonly used: readonly Grant[];
}

/** One after the other; what one of them does wrong is told, and the next goes on. */
export async function runScenarios(
  world: E2eWorld,
  scenarios: readonly Scenario[],
  say: (line: string) => void,
): Promise<readonly ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  for (const scenario of scenarios) {
    const result = await runScenario(world, scenario);
    results.push(result);
    say(
      `${result.problem === null ? 'ok    ' : 'FAILED'} ${result.seconds.toFixed(1).padStart(5)} s  ${scenario.name}`,
    );
    if (result.problem !== null) say(result.problem);
  }
  return results;
}

export async function runScenario(world: E2eWorld, scenario: Scenario): Promise<ScenarioResult> {
  const { control } = world.bed;
  const startedAt = real.monotonic();
  let problem: string | null = null;
  try {
    await scenario.run(world);
  } catch (error) {
    problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const refused = control.takeRefusals();
  if (refused.length > 0) {
    const told = [...new Set(refused.map(({ role, action, resource }) => `${role} may not ${action} on ${resource}`))];
    problem = [problem ?? 'calls were refused', ...told].join('\n');
  }
  const seconds = (real.monotonic() - startedAt) / 1000;
  return { name: scenario.name, problem, seconds, refused, used: control.takeUsed() };
}
