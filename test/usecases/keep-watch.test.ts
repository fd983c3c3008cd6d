import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import type { EngineParts } from '../../shared/store/engine.ts';
import { handleControl } from '../../shared/usecases/handle-control.ts';
import { keepWatch } from '../../shared/usecases/keep-watch.ts';
import { type TestEngine, testEngine } from '../helpers/test-engine.ts';
import { headOf, register, start, take } from '../helpers/worker-driver.ts';

const MINUTE = 60_000;
let test: TestEngine;
let isDown = false;

/** A table that answers nothing while it is down. */
const mortal = (parts: EngineParts): EngineParts => ({
  ...parts,
  table: new Proxy(parts.table, {
    get: (table, name) =>
      isDown ? () => Promise.reject(new Error('down')) : Reflect.get(table, name, table).bind(table),
  }),
});

beforeEach(async () => {
  isDown = false;
  test = await testEngine({ wrap: mortal });
});
afterEach(() => test.close());

/** A watch that has begun, and how it ended if it has. */
function watch(holder: string, forMs = 15 * MINUTE) {
  const running = { ended: false, ticks: 0 };
  const done = keepWatch(test.engine, { holder, forMs, afterTick: (ticks) => Object.assign(running, { ticks }) }).then(
    () => Object.assign(running, { ended: true }),
  );
  return { running, done };
}
const ticksOf = () => test.telemetry.counts.get('watchdog_ticks') ?? 0;

describe('a watch', () => {
  it('ticks every second and ends when its time is up', async () => {
    const { running, done } = watch('one', 10_000);
    await test.clock.advance(5_500);
    expect(running).toEqual({ ended: false, ticks: 6 });
    await test.clock.advance(10_000);
    await done;
    expect(running).toEqual({ ended: true, ticks: 10 });
  });

  it('lasts fourteen minutes at most', async () => {
    const { running, done } = watch('one', 60 * MINUTE);
    await test.clock.advance(13 * MINUTE);
    expect(running.ended).toBe(false);
    await test.clock.advance(MINUTE);
    await done;
  });

  it('is relieved by the next, and by none that came before', async () => {
    const first = watch('first');
    await test.clock.advance(59_000);
    const second = watch('second');
    await test.clock.advance(2_000);
    expect(first.running.ended).toBe(true);
    expect(second.running.ended).toBe(false);
    await test.clock.advance(119_000);
    expect(second.running.ended).toBe(false);
    const third = watch('third', 2_000);
    await test.clock.advance(3_000);
    expect(second.running.ended).toBe(true);
    await third.done;
  });

  it('that begins together with another leaves one of them', async () => {
    const both = [watch('a', MINUTE), watch('b', MINUTE)];
    await test.clock.advance(3_000);
    expect(both.filter(({ running }) => running.ended)).toHaveLength(1);
    const before = ticksOf();
    await test.clock.advance(10_000);
    expect(ticksOf() - before).toBe(10);
    await test.clock.advance(MINUTE);
    await Promise.all(both.map(({ done }) => done));
  });

  it('goes on while the table is down, and ticks when it is back', async () => {
    const { running } = watch('one');
    await test.clock.advance(2_000);
    isDown = true;
    await test.clock.advance(20_000);
    expect(running.ended).toBe(false);
    isDown = false;
    const run = await start(test);
    // Its message is lost.
    await test.queue.ack('default', await test.queue.receive('default', { max: 1, waitMs: 0, visibilityMs: 1_000 }));
    await test.clock.advance(40_000);
    expect((await take(test)).run.runId).toBe(run.runId);
    isDown = true;
    await test.clock.advance(15 * MINUTE);
    isDown = false;
  });

  it('does not judge workers by a silence in which nobody could be heard', async () => {
    await start(test);
    await register(test);
    const { run } = await take(test);
    const { done } = watch('one', 3 * MINUTE);
    await test.clock.advance(5_000);
    isDown = true;
    await test.clock.advance(90_000);
    isDown = false;
    await test.clock.advance(10_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'RUNNING' });
    await test.clock.advance(20_000);
    expect(await headOf(test, run)).toMatchObject({ status: 'PENDING' });
    await test.clock.advance(3 * MINUTE);
    await done;
  });

  it('has the blobs looked through once a day', async () => {
    const orphan = 'shop/018f0000-0000-7000-8000-000000000000/AAAAAAAAAA/in';
    await test.engine.blobs.put(orphan, new Uint8Array(1));
    const sweeps = async (): Promise<number> => {
      const deliveries = await test.queue.receive(CONTROL_QUEUE, { max: 10, waitMs: 0, visibilityMs: 1_000 });
      for (const { body } of deliveries) await handleControl(test.engine, body);
      await test.queue.ack(CONTROL_QUEUE, deliveries);
      return deliveries.length;
    };
    const keep = async (): Promise<void> => {
      const { done } = watch(`w${test.clock.now()}`, 500);
      await test.clock.advance(1_000);
      await done;
    };
    await keep();
    expect(await sweeps()).toBe(1);
    await keep();
    expect(await sweeps()).toBe(0);
    await test.clock.advance(24 * 60 * MINUTE);
    await keep();
    expect(await sweeps()).toBe(1);
  });
});
