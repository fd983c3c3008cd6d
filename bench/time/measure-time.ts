import { type Embedded, openEmbedded } from '../../local/embedded.ts';
import { createClient } from '../../sdk/client/create-client.ts';
import { defineWorkflow } from '../../sdk/define-workflow.ts';
import { createWorker } from '../../sdk/worker/create-worker.ts';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { type Machine, machine } from '../speed/machine.ts';
import { delaysOf, earlyOf, idleLateness, type Lateness, latenessOf } from './lateness.ts';

export interface TimeSizes {
  readonly sleeps: number;
  readonly shortestMs: number;
  readonly longestMs: number;
  readonly together: number;
  /** How long those that wake together sleep; longer than a worker holds a run, so that they are put down. */
  readonly togetherMs: number;
}
export const FULL: TimeSizes = { sleeps: 200, shortestMs: 1000, longestMs: 5000, together: 1000, togetherMs: 60_000 };
/** For the test of the harness. */
export const TINY: TimeSizes = { sleeps: 5, shortestMs: 10, longestMs: 50, together: 5, togetherMs: 6_000 };

export interface TimeReport {
  readonly machine: Machine;
  readonly sleeps: Lateness & { readonly count: number; readonly early: number };
  /** Of timers as long, in a process beside it that is idle. */
  readonly idleProcess: Lateness;
  readonly together: {
    readonly runs: number;
    readonly early: number;
    /** From the time they all wake at until the last goes on. */
    readonly allAfterMs: number;
  };
}

/** So that they do not wait for each other's starts. */
const APART_MS = 20;

/** When the code first came to its sleep, whoever replays it later. */
const askedAt = new Map<string, number>();
const sleeper = defineWorkflow({ type: 'sleeper' }, async (ctx, ms: number) => {
  const asked = askedAt.get(ctx.run.runId) ?? Date.now();
  askedAt.set(ctx.run.runId, asked);
  await ctx.sleep('sleep', ms);
  return (await ctx.step('after', () => Date.now())) - asked - ms;
});
const together = defineWorkflow({ type: 'together' }, async (ctx, at: number) => {
  await ctx.sleepUntil('sleep', new Date(at));
  return (await ctx.step('after', () => Date.now())) - at;
});

export async function measureTime(sizes: TimeSizes): Promise<TimeReport> {
  const directory = scratchFolder('bench');
  const embedded = await openEmbedded(directory);
  const worker = createWorker({ workflows: [sleeper, together], maxConcurrent: 250 }).embedded(embedded.engine);
  try {
    return { machine: machine(), ...(await sleeps(embedded, sizes)), together: await wakeTogether(embedded, sizes) };
  } finally {
    await worker.stop(0);
    await embedded.close();
    removeScratch(directory);
  }
}

async function sleeps({ engine }: Embedded, sizes: TimeSizes): Promise<Pick<TimeReport, 'sleeps' | 'idleProcess'>> {
  const client = createClient({ embedded: engine });
  const delays = delaysOf(sizes.sleeps, sizes.shortestMs, sizes.longestMs);
  const idle = idleLateness(delays);
  const all = await Promise.all(
    delays.map(async (ms, n) => {
      await engine.clock.sleep(n * APART_MS);
      return (await client.start(sleeper, ms)).result();
    }),
  );
  return {
    sleeps: { count: all.length, early: earlyOf(all), ...latenessOf(all) },
    idleProcess: latenessOf(await idle),
  };
}

async function wakeTogether({ engine }: Embedded, sizes: TimeSizes): Promise<TimeReport['together']> {
  const client = createClient({ embedded: engine });
  const at = Date.now() + sizes.togetherMs;
  const runs = await Promise.all(Array.from({ length: sizes.together }, () => client.start(together, at)));
  const all = await Promise.all(runs.map((run) => run.result()));
  return { runs: all.length, early: earlyOf(all), allAfterMs: Math.max(...all) };
}
