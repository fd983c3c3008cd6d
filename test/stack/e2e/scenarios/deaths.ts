import assert from 'node:assert/strict';
import { order } from '../../../../examples/order.ts';
import type { E2eWorld } from '../e2e-world.ts';
import type { Scenario } from '../scenario.ts';

const LEASE_MS = 30_000;
const MINUTE = 60_000;

/** SIGKILL for the worker in the middle of a step. */
async function orderWithDeath(world: E2eWorld) {
  const worker = world.bed.function('worker-examples');
  const handle = await world.client().start(order, { amount: 7 });
  const isCharging = (): boolean =>
    world.bed.lines.some((line) => line.includes('"charging"') && line.includes(handle.runId));
  await world.bed.until('the step in the middle of which the worker dies', isCharging);
  assert.equal(await worker.kill('busy'), 1);
  return handle;
}

export const DEATHS: readonly Scenario[] = [
  {
    name: 'a worker process killed in the middle of a run is recovered by the watchdog',
    short: true,
    async run(world) {
      const handle = await orderWithDeath(world);
      assert.equal(await handle.status(), 'RUNNING');
      const output = (await world.passUntilEnd(handle, 3 * LEASE_MS)) as { readonly charged: number };
      assert.equal(output.charged, 7);
    },
  },
  {
    name: 'the watchdog itself killed is replaced by the next minute, and does its work',
    short: false,
    async run(world) {
      const watchdog = world.bed.function('watchdog');
      await world.bed.until('a watch', () => watchdog.busy > 0);
      assert.ok((await watchdog.kill('all')) > 0);
      const before = watchdog.invocations;
      const handle = await orderWithDeath(world);
      assert.equal(watchdog.busy, 0, 'nobody watches');
      await world.passUntilEnd(handle, 3 * MINUTE);
      assert.ok(watchdog.invocations > before);
    },
  },
];
