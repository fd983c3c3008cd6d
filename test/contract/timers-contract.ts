import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTROL_QUEUE, type Queue } from '../../shared/ports/queue.ts';
import type { Timers } from '../../shared/ports/timers.ts';

export interface TimersUnderTest {
  readonly timers: Timers;
  readonly queue: Queue;
  now(): number;
  /** Lets time pass, and what is due then happen. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export function describeTimersContract(name: string, makeTimers: () => Promise<TimersUnderTest>): void {
  describe(`timers contract: ${name}`, () => {
    let test: TimersUnderTest;
    const fired = async (): Promise<readonly string[]> => {
      const deliveries = await test.queue.receive(CONTROL_QUEUE, { max: 100, waitMs: 0, visibilityMs: 60_000 });
      await test.queue.ack(CONTROL_QUEUE, deliveries);
      return deliveries.map((delivery) => `${delivery.group}:${delivery.body}`).sort();
    };
    const set = (id: string, inMs: number, body = id): Promise<void> =>
      test.timers.set(id, test.now() + inMs, { body, group: 'shop' });

    beforeEach(async () => {
      test = await makeTimers();
    });
    afterEach(() => test.close());

    it('puts the message on the control queue at the time, and not before', async () => {
      await set('a', 5000);
      await test.advance(4999);
      expect(await fired()).toEqual([]);
      await test.advance(1 + test.timers.leadMs);
      expect(await fired()).toEqual(['shop:a']);
    });

    it('fires each once, in whatever order they were set', async () => {
      await set('late', 3000);
      await set('early', 1000);
      await test.advance(1000);
      expect(await fired()).toEqual(['shop:early']);
      await test.advance(2000);
      expect(await fired()).toEqual(['shop:late']);
      await test.advance(60_000);
      expect(await fired()).toEqual([]);
    });

    it('fires at once what is set in the past', async () => {
      await set('a', -1000);
      await test.advance(1);
      expect(await fired()).toEqual(['shop:a']);
    });

    it('replaces a timer that is set again, earlier or later', async () => {
      await set('a', 1000, 'first');
      await set('a', 3000, 'second');
      await set('b', 9000, 'first');
      await set('b', 3000, 'second');
      await test.advance(2000);
      expect(await fired()).toEqual([]);
      await test.advance(10_000);
      expect(await fired()).toEqual(['shop:second', 'shop:second']);
    });

    it('does not fire a cancelled timer, and cancels harmlessly', async () => {
      await set('a', 1000);
      await test.timers.cancel('a');
      await test.timers.cancel('never-set');
      await test.advance(2000);
      expect(await fired()).toEqual([]);
      await test.timers.cancel('a');
    });

    it('fires more than one group of timers due at the same time', async () => {
      await Promise.all(Array.from({ length: 250 }, (_, i) => set(`t${i}`, 1000)));
      await test.advance(1000);
      const bodies = new Set([...(await fired()), ...(await fired()), ...(await fired())]);
      expect(bodies.size).toBe(250);
    });
  });
}
