import type { Contender, KagziContender } from './contender.ts';
import { monotonicMs } from './monotonic.ts';
import { STEPS } from './step-notes.ts';

const SLEEP_MS = 2_000;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = monotonicMs();
  await work();
  return monotonicMs() - since;
}

/** So many, or as many as come within the time, but one at least: some peers take a second for each. */
async function oneByOne(
  count: number,
  sample: () => Promise<number>,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const samples: number[] = [];
  const end = monotonicMs() + withinMs;
  for (let n = 0; n < count && (n === 0 || monotonicMs() < end); n++) samples.push(await sample());
  return samples;
}

/** So many clients, each starting its next run when the one before has ended, until so many runs are done. */
async function withClients(clients: number, runs: number, run: () => Promise<void>): Promise<void> {
  let left = runs;
  const client = async (): Promise<void> => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: clients }, client));
}

interface Many {
  readonly runs: number;
  readonly withinMs?: number;
}

const stepsPerS = (runs: number, ms: number): number => (runs * STEPS * 1000) / ms;

/** What is measured, as samples: each workload by its name, with what it is asked for. */
export const WORKLOADS = {
  warmUp: async (contender: Contender, { runs, withinMs }: Many): Promise<number[]> => {
    const some = Math.ceil(runs / 10);
    await Promise.all(Array.from({ length: Math.min(runs, 100) }, () => contender.tenSteps()));
    await oneByOne(Math.ceil(runs / 8), () => timed(() => withClients(8, 8, () => contender.tenSteps())), withinMs);
    await oneByOne(some, () => timed(() => contender.tenSteps()), withinMs);
    await oneByOne(some, () => timed(() => contender.fanOut()), withinMs);
    return oneByOne(some, () => contender.firstBodyAt(), withinMs);
  },
  /** Milliseconds from the start call to the result. */
  sequential: (contender: Contender, { runs, withinMs }: Many): Promise<number[]> =>
    oneByOne(runs, () => timed(() => contender.tenSteps()), withinMs),
  /** Steps per second, of each round. */
  atOnce: (
    contender: Contender,
    { runs, rounds }: { readonly runs: number; readonly rounds: number },
  ): Promise<number[]> =>
    oneByOne(rounds, async () =>
      stepsPerS(runs, await timed(() => Promise.all(Array.from({ length: runs }, () => contender.tenSteps())))),
    ),
  /** Milliseconds from the start call to the first body. */
  firstBody: (contender: Contender, { runs, withinMs }: Many): Promise<number[]> =>
    oneByOne(
      runs,
      async () => {
        const since = monotonicMs();
        return (await contender.firstBodyAt()) - since;
      },
      withinMs,
    ),
  fanOut: (contender: Contender, { runs, withinMs }: Many): Promise<number[]> =>
    oneByOne(runs, () => timed(() => contender.fanOut()), withinMs),
  /** Milliseconds too late. */
  sleep: async (contender: Contender, { runs }: { readonly runs: number }): Promise<number[]> =>
    Promise.all(
      Array.from({ length: runs }, async (_, n) => {
        // Not all at one instant: each would wait for the others.
        await new Promise((resolve) => setTimeout(resolve, 37 * n));
        return contender.sleepLateness(SLEEP_MS);
      }),
    ),
  /** The instants at which the steps of one run began. */
  longRun: async (contender: Contender, { steps }: { readonly steps: number }): Promise<readonly number[]> =>
    (contender as KagziContender).longRun(steps),
  fill: async (
    contender: Contender,
    { runs, what }: { readonly runs: number; readonly what: 'finished' | 'waiting' },
  ): Promise<number[]> => [await timed(() => (contender as KagziContender).fill(runs, what))],
  /** Bytes, after so many runs. */
  memory: async (
    contender: Contender,
    { runs, clients }: { readonly runs: number; readonly clients: number },
  ): Promise<number[]> => {
    await withClients(clients, runs, () => contender.tenSteps());
    return [await contender.memoryBytes()];
  },
  /** Steps per second, of each round. */
  clients: (
    contender: Contender,
    { clients, runs, rounds }: { readonly clients: number; readonly runs: number; readonly rounds: number },
  ): Promise<number[]> =>
    oneByOne(rounds, async () =>
      stepsPerS(runs, await timed(() => withClients(clients, runs, () => contender.tenSteps()))),
    ),
};

export type Workloads = typeof WORKLOADS;
export type WorkloadName = keyof Workloads;
