import type { Table } from '../shared/ports/table.ts';
import { claim, finish, QUEUE, receive, start } from './bench-worker.ts';
import { freshRun, resumedRun, sleep, unservedHour } from './direct-scenarios.ts';
import type { Scenarios } from './figures.ts';
import { type MeasuredEngine, measuredEngine } from './measured-engine.ts';
import { freshPolledRun, heartbeatOf100, retriedStep } from './poll-scenarios.ts';
import { idleTick, longRun } from './scale-scenarios.ts';
import { scheduleFire } from './schedule-scenarios.ts';

/** Fewer of either make a quick test; the names of the scenarios stay. */
export interface Sizes {
  readonly steps: number;
  readonly asleep: number;
}
export const FULL_SIZES: Sizes = { steps: 10_000, asleep: 2_000 };

/** Opens an empty table for each scenario; null for the embedded one. */
export type OpenTable = (() => Promise<Table>) | null;

export async function measureCosts(openTable: OpenTable, sizes: Sizes = FULL_SIZES): Promise<Scenarios> {
  const on = async <T>(scenario: (bench: MeasuredEngine) => Promise<T>): Promise<T> => {
    const bench = await measuredEngine(openTable === null ? null : await openTable());
    try {
      await warmUp(bench);
      return await scenario(bench);
    } finally {
      await bench.close();
    }
  };
  const run = await on(freshRun);
  const polled = await on(freshPolledRun);
  const resumed = await on(resumedRun);
  const slept = await on(sleep);
  const retried = await on(retriedStep);
  const beat = await on(heartbeatOf100);
  const unserved = await on(unservedHour);
  const fire = await on(scheduleFire);
  const idle = await on((bench) => idleTick(bench, sizes.asleep));
  const [tenth, last] = await on((bench) => longRun(bench, sizes.steps));
  return {
    'fresh-run-10': run,
    'fresh-run-10-poll': polled,
    'resumed-run-10': resumed,
    sleep: slept,
    'retried-step': retried,
    'heartbeat-100': beat,
    'unserved-hour': unserved,
    'schedule-fire': fire,
    'idle-tick': idle,
    'step-10-of-10000': tenth,
    'step-10000-of-10000': last,
  };
}

/** A process notes each namespace and task queue once, with its first run. */
async function warmUp({ engine }: MeasuredEngine): Promise<void> {
  await start(engine);
  const delivery = await receive(engine);
  await finish(engine, await claim(engine, delivery));
  await engine.queue.ack(QUEUE, [delivery]);
}
