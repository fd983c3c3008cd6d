import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Queue, ReceiveOptions } from '../../shared/ports/queue.ts';
import { itUnless, type QueueFlaw } from './engine-flaws.ts';
import type { QueueUnderTest } from './queue-contract.ts';

const QUEUE = 'orders';

/** For adapters that let a poller select by group and kind. */
export function describeQueueSelectionContract(
  name: string,
  makeQueue: () => Promise<QueueUnderTest>,
  { flaws = [] }: { readonly flaws?: readonly QueueFlaw[] | undefined } = {},
): void {
  describe(`queue selection contract: ${name}`, () => {
    let test: QueueUnderTest;
    let queue: Queue;
    const receive = async (options: Partial<ReceiveOptions>): Promise<readonly string[]> => {
      const deliveries = await queue.receive(QUEUE, { max: 10, waitMs: 0, visibilityMs: 30_000, ...options });
      return deliveries.map((delivery) => delivery.body).sort();
    };

    beforeEach(async () => {
      test = await makeQueue();
      queue = test.queue;
      await queue.send(
        QUEUE,
        ['a', 'b'].flatMap((group) => ['x', 'y', 'z'].map((kind) => ({ body: group + kind, group, kind }))),
      );
    });
    afterEach(() => test.close());

    itUnless(flaws, 'groups-uncounted', 'counts a group by itself', async () => {
      await receive({ group: 'a', max: 1 });
      expect(await queue.depth(QUEUE, 'a')).toMatchObject({ ready: 2, inFlight: 1 });
      expect(await queue.depth(QUEUE, 'b')).toMatchObject({ ready: 3, inFlight: 0 });
      expect(await queue.depth(QUEUE, 'c')).toMatchObject({ ready: 0, oldestSentAt: null });
    });

    it('gives a poller its group only', async () => {
      expect(await receive({ group: 'a' })).toEqual(['ax', 'ay', 'az']);
      expect(await receive({ group: 'a' })).toEqual([]);
      await test.advance(test.passOnMs ?? 0);
      expect(await receive({})).toEqual(['bx', 'by', 'bz']);
    });

    it('gives a poller its kinds only', async () => {
      expect(await receive({ kinds: ['x', 'z', 'none'] })).toEqual(['ax', 'az', 'bx', 'bz']);
      expect(await receive({ kinds: [] })).toEqual([]);
    });

    it('gives a poller its kinds within its group', async () => {
      expect(await receive({ group: 'b', kinds: ['y', 'x', 'x'] })).toEqual(['bx', 'by']);
      expect(await receive({ group: 'c', kinds: ['x'] })).toEqual([]);
    });

    it('gives the oldest first and no more than asked', async () => {
      expect(await receive({ group: 'a', max: 2 })).toEqual(['ax', 'ay']);
      expect(await receive({ kinds: ['z', 'y'], max: 1 })).toEqual(['az']);
    });

    it('wakes a poller that waits for what was sent, and leaves the others waiting', async () => {
      const other = receive({ group: 'd', waitMs: 5000 });
      const waiting = receive({ group: 'c', kinds: ['x'], waitMs: 20_000 });
      await test.advance(100);
      await queue.send(QUEUE, [{ body: 'cx', group: 'c', kind: 'x' }]);
      expect(await waiting).toEqual(['cx']);
      await test.advance(5000);
      expect(await other).toEqual([]);
    });
  });
}
