import { afterAll, beforeAll, expect, it } from 'vitest';
import { thisHost } from '../../sdk/host.ts';
import { CancelledError, defineWorkflow } from '../../sdk/index.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { getRun } from '../../shared/usecases/get-run.ts';
import { listSteps } from '../../shared/usecases/list-steps.ts';
import { PollWorld, until } from '../helpers/poll-world.ts';

const SKEWS = [-600_000, 600_000] as const;
/** Longer than a worker waits itself: the run is put down, and comes back, unless the machine is slow. */
const NAP_MS = 6_000;
const undone: number[] = [];

const typed = (name: string, skew: number): string => `${name}${skew < 0 ? '-behind' : '-ahead'}`;
const flowsOf = (skew: number) => ({
  nap: defineWorkflow({ type: typed('nap', skew) }, async (ctx) => {
    await ctx.sleep('nap', NAP_MS);
    return 'awake';
  }),
  timed: defineWorkflow({ type: typed('timed', skew), timeout: '5 minutes' }, async (ctx) =>
    ctx.step(
      'a',
      ({ attempt }) => {
        if (attempt === 1) throw new Error('once');
        return attempt;
      },
      { retry: { kind: 'fixed', interval: 50 } },
    ),
  ),
  patient: defineWorkflow({ type: typed('patient', skew) }, async (ctx) => {
    try {
      await ctx.step('work', ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)));
    } catch (error) {
      if (error instanceof CancelledError) await ctx.step('undo', () => undone.push(skew));
      throw error;
    }
  }),
});

let world: PollWorld;
beforeAll(async () => {
  world = await PollWorld.open({ KAGZI_LEASE_SECS: '30', KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS: '30' });
  for (const skew of SKEWS) {
    const { clock: right } = thisHost;
    const clock: Clock = {
      now: () => right.now() + skew,
      monotonic: () => right.monotonic(),
      sleep: (ms, signal) => right.sleep(ms, signal),
    };
    world.serve(Object.values(flowsOf(skew)), { host: { ...thisHost, clock } });
  }
});
afterAll(() => world.close());

it.concurrent.each(SKEWS)(
  'a worker whose clock is off by %i ms puts a sleep down once, and ends it at its time',
  async (skew) => {
    const handle = await world.client.start(flowsOf(skew).nap);
    expect(await handle.result()).toBe('awake');
    const id = { namespace: 'default', runId: handle.runId };
    const { run } = await getRun(world.engine, id);
    const [nap] = (await listSteps(world.engine, { ...id, pageSize: 1 })).steps;
    if (nap?.step.status !== 'SLEEPING' || run.status !== 'COMPLETED') throw new Error('no sleep is recorded');
    expect(nap.step.wakeAt - nap.step.createdAt).toBeGreaterThan(0);
    expect(nap.step.wakeAt - nap.step.createdAt).toBeLessThanOrEqual(NAP_MS);
    expect(run.finishedAt).toBeGreaterThanOrEqual(nap.step.wakeAt);
    expect(run.epoch).toBeLessThanOrEqual(2);
  },
);

it.concurrent.each(SKEWS)(
  'a run served by a clock that is off by %i ms has its time, and its retries',
  async (skew) => {
    expect(await (await world.client.start(flowsOf(skew).timed)).result()).toBe(2);
  },
);

it.concurrent.each(SKEWS)('a run served by a clock that is off by %i ms has its grace to clean up', async (skew) => {
  const handle = await world.client.start(flowsOf(skew).patient);
  await until(async () => (await handle.steps()).length === 1);
  await handle.cancel({ grace: '30s' });
  await expect(handle.result()).rejects.toThrow(CancelledError);
  expect(undone).toContain(skew);
});
