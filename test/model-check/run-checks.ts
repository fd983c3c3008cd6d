import { CHECKS, type Check, DEEP_CHECKS, MUTANTS, type Mutant } from './models.ts';
import type { Place, Search } from './parse-pan.ts';
import { DEEP, type Effort, SMALL, search } from './spin.ts';

export interface Checked extends Omit<Search, 'unreached'> {
  readonly model: string;
  readonly name: string;
  readonly mode: string;
  readonly seconds: number;
}

export interface Hunted {
  readonly model: string;
  readonly mutant: string;
  readonly breaks: string;
  readonly expected: string;
  /** Null if it got away. */
  readonly caughtBy: string | null;
}

export interface Report {
  readonly checks: readonly Checked[];
  readonly mutants: readonly Hunted[];
  /** Places that no check of their model ever came to: they prove nothing. */
  readonly unreached: readonly string[];
  /** In words; empty if all is well. */
  readonly wrong: readonly string[];
  readonly states: number;
  readonly seconds: number;
}

type Say = (line: string) => void;

export async function checkModels(options: { readonly deep: boolean }, say: Say): Promise<Report> {
  const started = performance.now();
  const checks: Checked[] = [];
  const reached = new Reached();
  for (const check of CHECKS) checks.push(await perform(check, SMALL, reached, say));
  if (options.deep) for (const check of DEEP_CHECKS) checks.push(await perform(check, DEEP, reached, say));
  const mutants: Hunted[] = [];
  for (const mutant of MUTANTS) mutants.push(await hunt(mutant, say));
  const { unreached } = reached;
  return {
    checks,
    mutants,
    unreached,
    wrong: [
      ...checks.flatMap(faultOf),
      ...mutants.flatMap(escapeOf),
      ...unreached.map((place) => `No check ever comes to ${place}.`),
    ],
    states: checks.reduce((sum, { states }) => sum + states, 0),
    seconds: secondsSince(started),
  };
}

async function perform(check: Check, effort: Effort, reached: Reached, say: Say): Promise<Checked> {
  const started = performance.now();
  const { unreached, ...found } = await search(check, effort);
  reached.add(check, unreached);
  const { model, name, mode } = check;
  const checked = { model, name, mode, ...found, seconds: secondsSince(started) };
  say(`${model}: ${name}: ${found.violated ?? found.truncated ?? `${found.states} states`}, ${checked.seconds} s`);
  return checked;
}

async function hunt(mutant: Mutant, say: Say): Promise<Hunted> {
  const { violated } = await search(mutant, SMALL, { [mutant.name]: 1 });
  const { model, name, breaks, caughtBy } = mutant;
  say(`${model} with ${name}: ${violated ?? 'NOT CAUGHT'}`);
  return { model, mutant: name, breaks, expected: caughtBy, caughtBy: violated };
}

const secondsSince = (started: number): number => Math.round((performance.now() - started) / 100) / 10;

function faultOf({ model, name, violated, truncated, states }: Checked): readonly string[] {
  if (violated !== null) return [`${model}: ${name}: "${violated}" is broken.`];
  if (truncated !== null) return [`${model}: ${name}: not every state was looked at: ${truncated}.`];
  return states > 0 ? [] : [`${model}: ${name}: no state was looked at.`];
}

function escapeOf({ model, mutant, expected, caughtBy }: Hunted): readonly string[] {
  if (caughtBy === expected) return [];
  return [`${model}: the mutant ${mutant} was caught by "${caughtBy ?? 'nothing'}", not by "${expected}".`];
}

/** Which places of a model no check has come to. Workers over HTTP are other code than direct ones. */
class Reached {
  readonly #unreached = new Map<string, ReadonlyMap<number, string>>();

  add({ model, mode, defines }: Check, places: ReadonlyMap<string, readonly Place[]>): void {
    // Reduced to what matters for its one property.
    if (mode === 'liveness') return;
    const isPoll = defines['POLL'] !== undefined;
    for (const [process, all] of places) {
      const name = isPoll && process === 'Worker' ? `${model}, Worker over HTTP` : `${model}, ${process}`;
      const before = this.#unreached.get(name);
      const still = all.filter(({ state }) => before === undefined || before.has(state));
      this.#unreached.set(name, new Map(still.map(({ state, code }) => [state, code])));
    }
  }

  get unreached(): readonly string[] {
    return [...this.#unreached].flatMap(([name, places]) => [...places.values()].map((code) => `${name}, ${code}`));
  }
}
