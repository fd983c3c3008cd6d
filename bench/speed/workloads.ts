import type { Contender, KagziContender } from './contender.ts';
import { monotonicMs } from './monotonic.ts';
import { STEPS } from './step-notes.ts';

const SLEEP_MS = 2_000;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = monotonicMs();
  await work();
  return monotonicMs() - since;
}

async function oneByOne(count: number, sample: () => Promise<number>): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < count; n++) samples.push(await sample());
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

const stepsPerS = (runs: number, ms: number): number => (runs * STEPS * 1000) / ms;

/** What is measured, as samples: each workload by its name, with what it is asked for. */
export const WORKLOADS = {
  warmUp: async (contender: Contender, { runs }: { readonly runs: number }): Promise<number[]> => {
    await withClients(8, runs, () => contender.tenSteps());
    await oneByOne(Math.ceil(runs / 10), () => timed(() => contender.tenSteps()));
    await oneByOne(Math.ceil(runs / 10), () => timed(() => contender.fanOut()));
    return oneByOne(Math.ceil(runs / 10), () => contender.firstBodyAt());
  },
  /** Milliseconds from the start call to the result. */
  sequential: (contender: Contender, { runs }: { readonly runs: number }): Promise<number[]> =>
    oneByOne(runs, () => timed(() => contender.tenSteps())),
  /** Steps per second, of each round. */
  atOnce: (
    contender: Contender,
    { runs, rounds }: { readonly runs: number; readonly rounds: number },
  ): Promise<number[]> =>
    oneByOne(rounds, async () =>
      stepsPerS(runs, await timed(() => Promise.all(Array.from({ length: runs }, () => contender.tenSteps())))),
    ),
  /** Milliseconds from the start call to the first body. */
  firstBody: (contender: Contender, { runs }: { readonly runs: number }): Promise<number[]> =>
    oneByOne(runs, async () => {
      const since = monotonicMs();
      return (await contender.firstBodyAt()) - since;
    }),
  fanOut: (contender: Contender, { runs }: { readonly runs: number }): Promise<number[]> =>
    oneByOne(runs, () => timed(() => contender.fanOut())),
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
  fill: async (contender: Contender, { runs }: { readonly runs: number }): Promise<number[]> => [
    await timed(() => (contender as KagziContender).fill(runs)),
  ],
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
