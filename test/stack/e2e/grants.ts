import { rmSync } from 'node:fs';
import { real } from '../clock/movable-timer.ts';
import type { Refusal } from '../iam/access-control.ts';
import { type Grant, grantName } from '../iam/grants.ts';
import { E2eWorld, synthesiseWorld } from './e2e-world.ts';
import { runScenario, runScenarios, type ScenarioResult } from './run-scenarios.ts';
import { SCENARIOS } from './scenarios.ts';
import { explanationOf } from './unused-grants.ts';

export interface WithheldGrant {
  readonly grant: string;
  /** The scenario that fails without it; null if none does. */
  readonly failing: string | null;
  /** Scenarios that were played without it: those that had used it, the quickest first. */
  readonly tried: number;
  /** Scenarios that failed without it, though no call was refused: they prove nothing. */
  readonly otherwise: readonly string[];
  /** Why it is there although no scenario needs to use it. */
  readonly because: string | null;
}

interface GrantsOptions {
  /** Part of the names of grants. */
  readonly only: string | undefined;
  /** Part of the names of scenarios; grants that none of them uses are then left out. */
  readonly scenarios: string | undefined;
  readonly say: (line: string) => void;
}

const LOOK_MS = 50;

/** Takes each grant away in turn, and plays the scenarios that used it, on a bed of their own, until one of them fails. */
export async function withholdGrants({ only, scenarios, say }: GrantsOptions) {
  const startedAt = real.monotonic();
  const stack = await synthesiseWorld();
  try {
    const { grants, baseline } = await playAll(stack, scenarios ?? '', say);
    const used = new Set(baseline.flatMap((result) => result.used.map(({ sid }) => sid)));
    const chosen = grants.filter(
      (each) => grantName(each).includes(only ?? '') && (scenarios === undefined || used.has(each.sid)),
    );
    const withheld: WithheldGrant[] = [];
    for (const grant of chosen) {
      const result = await withhold(stack, grant, baseline);
      say(`${result.grant}: ${result.failing ?? result.because ?? 'NOTHING FAILS'}`);
      withheld.push(result);
    }
    const problems = withheld.flatMap(({ grant, failing, tried, otherwise, because }) => {
      const failed = otherwise.map((name) => `without ${grant} fails, but for another reason: ${name}`);
      if (failing !== null || because !== null) return failed;
      const missing = tried === 0 ? `nothing uses ${grant}` : `nothing misses ${grant}, which ${tried} scenarios use`;
      return [...failed, missing];
    });
    return { withheld, problems, seconds: Math.round((real.monotonic() - startedAt) / 1000) };
  } finally {
    rmSync(stack, { recursive: true, force: true });
  }
}

async function playAll(stack: string, part: string, say: (line: string) => void) {
  const world = await E2eWorld.open({ stack });
  try {
    const scenarios = SCENARIOS.filter(({ name }) => name.includes(part));
    const first = await runScenarios(world, scenarios, say);
    // Half an hour is not lost to a moment in which the machine had something else to do.
    const failed = scenarios.filter((_each, at) => first[at]?.problem !== null);
    const again = await runScenarios(world, failed, say);
    const baseline = [...first.filter(({ problem }) => problem === null), ...again];
    const broken = baseline.find(({ problem }) => problem !== null);
    if (broken !== undefined) throw new Error(`${broken.name} fails with every grant: ${broken.problem}`);
    return { grants: world.bed.control.grants, baseline };
  } finally {
    await world.close();
  }
}

async function withhold(stack: string, grant: Grant, baseline: readonly ScenarioResult[]): Promise<WithheldGrant> {
  const using = baseline
    .filter(({ used }) => used.some(({ sid }) => sid === grant.sid))
    .sort((a, b) => a.seconds - b.seconds);
  const otherwise: string[] = [];
  const told = { grant: grantName(grant), otherwise, because: explanationOf(grant) };
  for (const [index, { name }] of using.entries()) {
    const outcome = await playWithout(stack, grant, name);
    if (outcome === 'refused') return { ...told, failing: name, tried: index + 1 };
    if (outcome === 'failed') otherwise.push(name);
  }
  return { ...told, failing: null, tried: using.length };
}

/** A refused call fails its scenario, so the rest of it need not be waited for. */
async function playWithout(stack: string, grant: Grant, name: string): Promise<'refused' | 'failed' | 'passed'> {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  const world = await E2eWorld.open({ stack, without: grant });
  const isOfIt = ({ role, action }: Refusal): boolean => role === grant.role && action === grant.action;
  try {
    const played = { isOver: false };
    const ended = runScenario(world, scenario).then(({ problem, refused }) => {
      if (refused.some(isOfIt)) return 'refused';
      return problem === null ? 'passed' : 'failed';
    });
    const refused = async (): Promise<'refused'> => {
      while (!played.isOver && !world.bed.control.refusals.some(isOfIt)) {
        await new Promise((resolve) => real.setTimeout(resolve, LOOK_MS));
      }
      return 'refused';
    };
    return await Promise.race([ended, refused()]).finally(() => {
      played.isOver = true;
    });
  } finally {
    await world.close();
  }
}
