import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Delivery,
  deadLetterQueue,
  type OutgoingMessage,
  type Queue,
  type ReceiveOptions,
} from '../../shared/ports/queue.ts';
import { itUnless, type QueueFlaw } from './engine-flaws.ts';

export interface QueueUnderTest {
  readonly queue: Queue;
  /** How long a message stays away that a poller got and could not have; nothing where pollers get their own only. */
  readonly passOnMs?: number;
  /** Lets time pass; an adapter on a real service waits. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const QUEUE = 'orders';
const message = (body: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  body,
  group: 'shop',
  kind: 'order',
  ...more,
});
const bodies = (deliveries: readonly Delivery[]): readonly string[] =>
  deliveries.map((delivery) => delivery.body).sort();

export function describeQueueContract(
  name: string,
  makeQueue: () => Promise<QueueUnderTest>,
  { maxReceives, flaws = [] }: { readonly maxReceives: number; readonly flaws?: readonly QueueFlaw[] | undefined },
): void {
  describe(`queue contract: ${name}`, () => {
    let test: QueueUnderTest;
    let queue: Queue;
    const receive = (options: Partial<ReceiveOptions> = {}, from = QUEUE): Promise<readonly Delivery[]> =>
      queue.receive(from, { max: 10, waitMs: 0, visibilityMs: 30_000, ...options });
    const receiveOne = async (options: Partial<ReceiveOptions> = {}): Promise<Delivery> => {
      const [delivery] = await receive({ ...options, max: 1 });
      if (delivery === undefined) throw new Error('nothing to receive');
      return delivery;
    };

    beforeEach(async () => {
      test = await makeQueue();
      queue = test.queue;
    });
    afterEach(() => test.close());

    it('delivers what was sent, with its group, kind and first receive count', async () => {
      await queue.send(QUEUE, [message('a é\nb')]);
      const delivery = await receiveOne();
      expect(delivery).toMatchObject({ body: 'a é\nb', group: 'shop', kind: 'order', receiveCount: 1 });
    });

    itUnless(flaws, 'refuses-astral-characters', 'delivers any character', async () => {
      await queue.send(QUEUE, [message('\u{1F600} \u{10ffff} \ufffd \t')]);
      expect(await receiveOne()).toMatchObject({ body: '\u{1F600} \u{10ffff} \ufffd \t' });
    });

    it('sends any number at once', async () => {
      const all = Array.from({ length: 25 }, (_, n) => `m${n}`);
      await queue.send(
        QUEUE,
        all.map((body) => message(body)),
      );
      expect(bodies(await receive({ max: 100 }))).toEqual([...all].sort());
    });

    it('takes a message of half a MiB, and refuses what is too large before anything is sent', async () => {
      const large = 'x'.repeat(512 * 1024);
      await queue.send(QUEUE, [message(large), message(`${large}y`), message('small')]);
      expect(new Set((await receive()).map(({ body }) => body.length))).toEqual(new Set([5, 524_288, 524_289]));
      const sending = queue.send(QUEUE, [message('small'), message('x'.repeat(1024 * 1024 + 1))]);
      await expect(sending).rejects.toMatchObject({ failure: 'invalid' });
      expect(await receive()).toEqual([]);
    });

    it('keeps queues apart', async () => {
      await queue.send(QUEUE, [message('a')]);
      expect(await receive({}, 'others')).toEqual([]);
      expect(bodies(await receive())).toEqual(['a']);
    });

    it('gives at most max messages', async () => {
      await queue.send(QUEUE, [message('a'), message('b'), message('c')]);
      const first = await receive({ max: 2 });
      const second = await receive({ max: 2 });
      expect([first.length, second.length]).toEqual([2, 1]);
      expect(bodies([...first, ...second])).toEqual(['a', 'b', 'c']);
    });

    it('hides a delivered message until its visibility ends, then counts up', async () => {
      await queue.send(QUEUE, [message('a')]);
      await receive({ visibilityMs: 2000 });
      expect(await receive()).toEqual([]);
      await test.advance(2000);
      expect(await receiveOne()).toMatchObject({ body: 'a', receiveCount: 2 });
    });

    it('never delivers an acknowledged message again', async () => {
      await queue.send(QUEUE, [message('a'), message('b')]);
      await queue.ack(QUEUE, await receive({ visibilityMs: 1000 }));
      await test.advance(2000);
      expect(await receive()).toEqual([]);
    });

    it('does not deliver a delayed message early', async () => {
      await queue.send(QUEUE, [message('a', { delayMs: 2000 })]);
      expect(await receive()).toEqual([]);
      await test.advance(2000);
      expect(bodies(await receive())).toEqual(['a']);
    });

    it('refuses a delay beyond its maximum', async () => {
      const sending = queue.send(QUEUE, [message('a', { delayMs: queue.maxDelayMs + 1000 })]);
      await expect(sending).rejects.toMatchObject({ failure: 'invalid' });
      await expect(receive()).resolves.toEqual([]);
    });

    it('delivers a released message again after the delay', async () => {
      await queue.send(QUEUE, [message('a')]);
      await queue.release(QUEUE, await receiveOne(), 2000);
      expect(await receive()).toEqual([]);
      await test.advance(2000);
      expect(await receiveOne()).toMatchObject({ body: 'a', receiveCount: 2 });
    });

    it('delivers a message released without delay at once', async () => {
      await queue.send(QUEUE, [message('a')]);
      await queue.release(QUEUE, await receiveOne(), 0);
      expect(await receiveOne()).toMatchObject({ body: 'a', receiveCount: 2 });
    });

    it('ignores the receipt of an earlier delivery', async () => {
      await queue.send(QUEUE, [message('a')]);
      const outdated = await receiveOne({ visibilityMs: 1000 });
      await test.advance(1000);
      const current = await receiveOne({ visibilityMs: 5000 });
      await queue.ack(QUEUE, [outdated]);
      await queue.release(QUEUE, outdated, 0);
      expect(await receive()).toEqual([]);
      await test.advance(5000);
      expect(await receiveOne()).toMatchObject({ body: 'a', receiveCount: current.receiveCount + 1 });
    });

    it('acknowledges after the visibility ended if nobody else got it', async () => {
      await queue.send(QUEUE, [message('a')]);
      const delivery = await receiveOne({ visibilityMs: 1000 });
      await test.advance(1000);
      await queue.ack(QUEUE, [delivery]);
      expect(await receive()).toEqual([]);
    });

    it('answers empty-handed when the wait is over', async () => {
      const waiting = receive({ waitMs: 1000 });
      await test.advance(1000);
      expect(await waiting).toEqual([]);
    });

    it('wakes a waiting receiver when a message is sent', async () => {
      const waiting = receive({ waitMs: 20_000 });
      await test.advance(100);
      await queue.send(QUEUE, [message('a')]);
      expect(bodies(await waiting)).toEqual(['a']);
    });

    it('wakes a waiting receiver when a delayed message becomes ready', async () => {
      await queue.send(QUEUE, [message('a', { delayMs: 2000 })]);
      const waiting = receive({ waitMs: 20_000 });
      await test.advance(2000);
      expect(bodies(await waiting)).toEqual(['a']);
    });

    it('wakes a waiting receiver when a delivered message becomes ready again', async () => {
      await queue.send(QUEUE, [message('a')]);
      await receive({ visibilityMs: 2000 });
      const waiting = receive({ waitMs: 20_000 });
      await test.advance(2000);
      expect(await waiting).toMatchObject([{ body: 'a', receiveCount: 2 }]);
    });

    it('gives each message to one of several waiting receivers', async () => {
      const waiting = [1, 2, 3].map(() => receive({ waitMs: 5000, max: 1 }));
      await test.advance(100);
      await queue.send(QUEUE, [message('a'), message('b')]);
      await test.advance(5000);
      expect(bodies((await Promise.all(waiting)).flat())).toEqual(['a', 'b']);
    });

    it('stops waiting when aborted', async () => {
      const abort = new AbortController();
      const waiting = receive({ waitMs: 20_000, signal: abort.signal });
      await test.advance(100);
      abort.abort();
      expect(await waiting).toEqual([]);
      expect(await receive({ signal: abort.signal })).toEqual([]);
    });

    itUnless(flaws, 'abandoned-polls-take', 'takes nothing that comes after it was aborted', async () => {
      const abort = new AbortController();
      const waiting = receive({ waitMs: 20_000, signal: abort.signal });
      await test.advance(100);
      abort.abort();
      await waiting;
      await queue.send(QUEUE, [message('a')]);
      expect(bodies(await receive())).toEqual(['a']);
    });

    it('moves a message received too often to the dead-letter queue', async () => {
      await queue.send(QUEUE, [message('poison')]);
      for (let count = 1; count <= maxReceives; count++) {
        const delivery = await receiveOne();
        expect(delivery.receiveCount).toBe(count);
        await queue.release(QUEUE, delivery, 0);
      }
      expect(await receive()).toEqual([]);
      expect(bodies(await receive({ waitMs: 1000 }, deadLetterQueue(QUEUE)))).toEqual(['poison']);
    });

    it('tells how many messages are ready, delayed and in flight', async () => {
      await queue.send(QUEUE, [message('a'), message('b'), message('c'), message('d', { delayMs: 60_000 })]);
      await receive({ max: 1 });
      expect(await queue.depth(QUEUE)).toMatchObject({ ready: 2, delayed: 1, inFlight: 1 });
      expect(await queue.depth('never-used')).toMatchObject({ ready: 0, delayed: 0, inFlight: 0, oldestSentAt: null });
    });
  });
}
