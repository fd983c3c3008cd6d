import type { SeededRandom } from '../helpers/seeded-random.ts';

/** Who serves a run: processes that poll over HTTP, or the engine's own process. */
export const QUEUES = ['polled', 'inside'] as const;
export type TaskQueue = (typeof QUEUES)[number];

export type Operation =
  | { readonly kind: 'step'; readonly value: number; readonly ms: number }
  /** Fails that many times first. */
  | { readonly kind: 'flaky'; readonly value: number; readonly failures: number }
  /** May be started at most once; counts as 0 if its worker died over it. */
  | { readonly kind: 'once'; readonly value: number; readonly ms: number }
  | { readonly kind: 'nap'; readonly ms: number }
  | { readonly kind: 'parallel'; readonly branches: readonly Program[] }
  | { readonly kind: 'child'; readonly queue: TaskQueue; readonly program: Program };

/** What a run does, one after the other. */
export type Program = readonly Operation[];

/** A worker holds a run over shorter sleeps; one longer than that puts it down. */
const LONG_NAP_MS = [5_100, 5_600] as const;

export function randomProgram(random: SeededRandom, depth = 0): Program {
  return Array.from({ length: random.between(2, depth === 0 ? 6 : 3) }, () => randomOperation(random, depth));
}

function randomOperation(random: SeededRandom, depth: number): Operation {
  const value = random.between(1, 1_000);
  const dice = random.next();
  if (dice < 0.5 || depth > 1) return { kind: 'step', value, ms: random.between(0, 120) };
  if (dice < 0.6) return { kind: 'flaky', value, failures: random.between(1, 2) };
  if (dice < 0.67) return { kind: 'once', value, ms: random.between(0, 60) };
  if (dice < 0.79)
    return { kind: 'nap', ms: random.chance(0.06) ? random.between(...LONG_NAP_MS) : random.between(1, 400) };
  if (dice < 0.9) {
    const branches = Array.from({ length: random.between(2, 4) }, () => randomProgram(random, 2));
    return { kind: 'parallel', branches };
  }
  return { kind: 'child', queue: random.pick(QUEUES), program: randomProgram(random, depth + 1) };
}

/** Depends on every value and on their order. */
export const fold = (total: number, value: number): number => (total * 31 + value) % 1_000_003;

/** The total that a run of the program must answer; `interrupted` are the paths of steps whose worker died over them. */
export function totalOf(program: Program, interrupted: ReadonlySet<string>, path = ''): number {
  let total = 0;
  for (const [index, operation] of program.entries()) {
    const here = `${path}${index}`;
    switch (operation.kind) {
      case 'step':
      case 'flaky':
        total = fold(total, operation.value);
        break;
      case 'once':
        total = fold(total, interrupted.has(here) ? 0 : operation.value);
        break;
      case 'nap':
        break;
      case 'parallel':
        for (const [number, branch] of operation.branches.entries()) {
          total = fold(total, totalOf(branch, interrupted, `${here}:${number}.`));
        }
        break;
      case 'child':
        total = fold(total, totalOf(operation.program, interrupted, `${here}>`));
        break;
    }
  }
  return total;
}

export interface PlacedOperation {
  readonly path: string;
  readonly operation: Operation;
}

/** Everything a run does itself, by its place; children's own operations are theirs. */
export function operationsOf(program: Program, path = ''): PlacedOperation[] {
  return program.flatMap((operation, index) => {
    const here = `${path}${index}`;
    const inside =
      operation.kind === 'parallel'
        ? operation.branches.flatMap((branch, number) => operationsOf(branch, `${here}:${number}.`))
        : [];
    return [{ path: here, operation }, ...inside];
  });
}
