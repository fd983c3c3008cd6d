import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { E2eWorld } from '../../test/stack/e2e/e2e-world.ts';
import { bundleEntry } from '../../test/stack/lambda/bundle-entry.ts';
import { type Machine, machine } from '../speed/machine.ts';
import { delaysOf, earlyOf, idleLateness, type Lateness, latenessOf } from './lateness.ts';
import { stackSleeper } from './stack-worker.ts';

export interface StackTimeSizes {
  readonly sleeps: number;
  readonly shortestMs: number;
  readonly longestMs: number;
}
export const STACK_FULL: StackTimeSizes = { sleeps: 200, shortestMs: 1_000, longestMs: 5_000 };
export const STACK_TINY: StackTimeSizes = { sleeps: 4, shortestMs: 1_000, longestMs: 2_000 };

export interface StackTimeReport {
  readonly machine: Machine;
  /** From the time they were to end at until code goes on in a worker function. */
  readonly sleeps: Lateness & { readonly count: number; readonly early: number };
  readonly idleProcess: Lateness;
}

/** Starts go over HTTP and through a function: they would wait for each other. */
const APART_MS = 100;
/** Runs before, so that every process is there that serves the others. */
const WARM_UP = 20;
const CONCURRENCY = 4;
const WORKER = 'kagzi-dev-worker-examples';

/** The synthesised stack on this machine, its clock not moved: sleeps are delayed messages of SQS. */
export async function measureStackTime(sizes: StackTimeSizes): Promise<StackTimeReport> {
  const entry = fileURLToPath(new URL('stack-worker.ts', import.meta.url));
  const world = await E2eWorld.open({
    concurrency: CONCURRENCY,
    code: async (scratch) => ({ [WORKER]: await bundleEntry(entry, join(scratch, 'sleeper')) }),
  });
  try {
    await sleepAll(world, delaysOf(WARM_UP, sizes.shortestMs, sizes.longestMs));
    const delays = delaysOf(sizes.sleeps, sizes.shortestMs, sizes.longestMs);
    const idle = idleLateness(delays);
    const all = await sleepAll(world, delays);
    return {
      machine: machine(),
      sleeps: { count: all.length, early: earlyOf(all), ...latenessOf(all) },
      idleProcess: latenessOf(await idle),
    };
  } finally {
    await world.close();
  }
}

async function sleepAll(world: E2eWorld, delays: readonly number[]): Promise<readonly number[]> {
  const client = world.client();
  const runs = await Promise.all(
    delays.map(async (ms, n) => {
      await new Promise((resolve) => setTimeout(resolve, n * APART_MS));
      return client.start(stackSleeper, ms);
    }),
  );
  const late: number[] = [];
  for (const run of runs) {
    const wentOnAt = await run.result();
    const [sleep] = await run.steps();
    late.push(wentOnAt - Number(sleep?.wakeAt));
  }
  return late;
}
