import { real } from '../clock/movable-timer.ts';
import { type Grant, grantName } from '../iam/grants.ts';
import { E2eWorld } from './e2e-world.ts';
import { runScenario, runScenarios, type ScenarioResult } from './run-scenarios.ts';
import { SCENARIOS } from './scenarios.ts';

export interface WithheldGrant {
  readonly grant: string;
  /** The scenarios that fail without it; null if it is not used at all. */
  readonly failing: string | null;
  readonly tried: number;
}

interface GrantsOptions {
  /** Part of the names of grants. */
  readonly only: string | undefined;
  readonly say: (line: string) => void;
}

/** Long enough for whatever was refused to have been tried again, so that the next scenario begins in peace. */
const REST_MS = 120_000;

/** Takes each grant away in turn, and plays the scenarios that used it until one of them fails. */
export async function withholdGrants({ only, say }: GrantsOptions): Promise<{
  readonly withheld: readonly WithheldGrant[];
  readonly seconds: number;
}> {
  const startedAt = real.monotonic();
  const world = await E2eWorld.open();
  try {
    const baseline = await runScenarios(world, SCENARIOS, say);
    const broken = baseline.find(({ problem }) => problem !== null);
    if (broken !== undefined) throw new Error(`${broken.name} fails with every grant: ${broken.problem}`);
    const withheld: WithheldGrant[] = [];
    for (const grant of world.bed.control.grants.filter((each) => grantName(each).includes(only ?? ''))) {
      const result = await withhold(world, grant, baseline);
      say(`${grantName(result.grantOf)}: ${result.told.failing ?? 'NOTHING FAILS'}`);
      withheld.push(result.told);
    }
    return { withheld, seconds: Math.round((real.monotonic() - startedAt) / 1000) };
  } finally {
    await world.close();
  }
}

async function withhold(world: E2eWorld, grant: Grant, baseline: readonly ScenarioResult[]) {
  const using = baseline
    .filter(({ used }) => used.some(({ sid }) => sid === grant.sid))
    .sort((a, b) => a.seconds - b.seconds);
  let failing: string | null = null;
  let tried = 0;
  for (const { name } of using) {
    const scenario = SCENARIOS.find((each) => each.name === name);
    if (scenario === undefined || failing !== null) break;
    // What a process has done once, such as to open its log, it does not do again.
    await world.bed.killFunctions();
    world.bed.control.withhold(grant);
    const { problem } = await runScenario(world, scenario);
    world.bed.control.withhold(null);
    tried += 1;
    if (problem !== null) failing = name;
    await world.bed.killFunctions();
    await world.bed.pass(REST_MS);
  }
  return { grantOf: grant, told: { grant: grantName(grant), failing, tried } };
}
