import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteQueue } from '../../local/sqlite-queue.ts';
import type { Delivery, OutgoingMessage, ReceiveOptions } from '../../shared/ports/queue.ts';
import { type EmbeddedStore, embeddedStore, memoryStore } from '../helpers/embedded-store.ts';
import { settle } from '../helpers/manual-clock.ts';
import { SeededRandom } from '../helpers/seeded-random.ts';

/** As many writes as one commit takes. */
const FULL_GROUP = 4_000;
const LAPSE = 300;

let embedded: EmbeddedStore;
beforeEach(() => {
  embedded = memoryStore();
});
afterEach(() => embedded.remove());

const message = (body: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  body,
  group: 'g',
  kind: 'k',
  ...more,
});
const queueOf = (followsTable: boolean): SqliteQueue =>
  new SqliteQueue(embedded.store, embedded.clock, { followsTable, maxReceives: 1_000 });
const receiving = { max: 1, waitMs: 5_000, visibilityMs: 60_000 };

/** What had come when the time was there, and not a moment before. */
async function comesAfter(ms: number, waiting: Promise<readonly Delivery[]>): Promise<readonly string[]> {
  let bodies: readonly string[] = [];
  void waiting.then((deliveries) => {
    bodies = deliveries.map(({ body }) => body);
  });
  await embedded.clock.advance(ms - 1);
  expect(bodies).toEqual([]);
  await embedded.clock.advance(1);
  return bodies;
}

describe('who looks for messages while a group is open', () => {
  const heldInGroup = async (queue: SqliteQueue): Promise<void> => {
    void queue.send('q', [message('held')]);
    expect(await queue.receive('q', { ...receiving, waitMs: 0, visibilityMs: LAPSE })).toHaveLength(1);
  };

  it('hears of one that another holds and lets lapse, if somebody counts in the same turn', async () => {
    const queue = queueOf(true);
    await heldInGroup(queue);
    const waiting = queue.receive('q', receiving);
    void queue.depth('q');
    expect(await comesAfter(LAPSE, waiting)).toEqual(['held']);
  });

  it('hears of it if the group grows full in the same turn', async () => {
    const queue = queueOf(true);
    await heldInGroup(queue);
    const waiting = queue.receive('q', receiving);
    for (let n = 0; n < FULL_GROUP; n++) void embedded.store.write(() => n);
    expect(await comesAfter(LAPSE, waiting)).toEqual(['held']);
  });

  it('hears of a delayed one that is sent in the same turn', async () => {
    const queue = queueOf(true);
    await queue.send('other', [message('of no interest')]);
    const waiting = queue.receive('q', receiving);
    void queue.send('q', [message('delayed', { delayMs: LAPSE })]);
    expect(await comesAfter(LAPSE, waiting)).toEqual(['delayed']);
  });

  it.each([true, false])('hears of one that another waiter took and let lapse (in the commit: %s)', async (follows) => {
    const queue = queueOf(follows);
    const first = queue.receive('q', { ...receiving, visibilityMs: LAPSE });
    const second = queue.receive('q', receiving);
    await settle();
    await queue.send('q', [message('once more')]);
    expect(await first).toHaveLength(1);
    expect(await comesAfter(LAPSE, second)).toEqual(['once more']);
  });
});

describe('a group that cannot be committed', () => {
  let fails = false;
  beforeEach(async () => {
    await embedded.remove();
    fails = false;
    embedded = embeddedStore({
      beforeCommit() {
        if (fails) throw new Error('the disk is full');
      },
    });
  });

  it('leaves nothing of what was sent in it', async () => {
    const queue = queueOf(true);
    fails = true;
    await expect(queue.send('q', [message('never')])).rejects.toMatchObject({ failure: 'unknown' });
    fails = false;
    expect(await queue.receive('q', { ...receiving, waitMs: 0 })).toEqual([]);
    await embedded.store.write(() => undefined);
    expect(await queue.depth('q')).toMatchObject({ ready: 0, inFlight: 0 });
  });

  it('leaves what was taken in it to others, though one of them has found nothing meanwhile', async () => {
    const queue = queueOf(true);
    await queue.send('q', [message('still there')]);
    fails = true;
    expect(await queue.receive('q', { ...receiving, waitMs: 0 })).toHaveLength(1);
    expect(await queue.receive('q', { ...receiving, waitMs: 0 })).toEqual([]);
    await settle();
    fails = false;
    expect(await queue.receive('q', { ...receiving, waitMs: 0 })).toMatchObject([{ body: 'still there' }]);
  });
});

type Wanted = Pick<ReceiveOptions, 'group' | 'kinds'>;
const KINDS = ['k', 'l', 'm'] as const;
const GROUPS = ['g', 'h'] as const;
const WANTED: readonly [Wanted, ...Wanted[]] = [
  {},
  { group: 'g' },
  { group: 'g', kinds: ['k'] },
  { group: 'h', kinds: ['k', 'l'] },
];
const wants = ({ group, kinds }: Wanted, row: { readonly group: string; readonly kind: string }): boolean =>
  (group === undefined || group === row.group) && kinds?.includes(row.kind) !== false;

/** What stands in the table and is ready; a millisecond may pass until an alarm rings. */
const ready = (): readonly { readonly body: string; readonly group: string; readonly kind: string }[] =>
  embedded.store
    .prepare(
      "SELECT CAST(body AS TEXT) body, CAST(grp AS TEXT) 'group', CAST(kind AS TEXT) kind FROM messages WHERE visible_at < ?",
    )
    .all(embedded.clock.now()) as { body: string; group: string; kind: string }[];

describe('whatever is sent, taken, given back and left to lapse', () => {
  const seeds = Array.from({ length: 60 }, (_, index) => index + 1);

  it.each(seeds)('leaves nobody waiting for what is there, and delivers everything (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const queue = queueOf(random.chance(0.6));
    const waiting = new Map<object, Wanted>();
    const [acknowledged, given] = [new Set<string>(), new Set<string>()];
    const all: Promise<unknown>[] = [];
    let sent = 0;
    const send = (): void => {
      const kind = random.pick(KINDS);
      const delayMs = random.chance(0.3) ? random.between(1, 2_000) : 0;
      all.push(queue.send('q', [message(`${sent++}`, { group: random.pick(GROUPS), kind, delayMs })]));
    };
    const use = (delivery: Delivery, until: number): void => {
      expect(acknowledged, 'what was acknowledged in time never comes again').not.toContain(delivery.body);
      if (random.chance(0.2)) all.push(queue.release('q', delivery, random.between(0, 500)));
      else if (random.chance(0.6)) {
        const inTime = embedded.clock.now() < until;
        given.add(delivery.body);
        all.push(queue.ack('q', [delivery]).then(() => void (inTime && acknowledged.add(delivery.body))));
      }
    };
    const receive = (): void => {
      const wanted = random.pick(WANTED);
      const visibilityMs = random.between(1, 2_000);
      const waiter = {};
      waiting.set(waiter, wanted);
      const options = { ...wanted, max: random.between(1, 3), waitMs: 3_600_000, visibilityMs };
      all.push(
        queue.receive('q', options).then((deliveries) => {
          waiting.delete(waiter);
          for (const delivery of deliveries) use(delivery, embedded.clock.now() + visibilityMs);
        }),
      );
    };
    const nobodyMissesAnything = (): void => {
      const rows = ready();
      const missed = [...waiting.values()].flatMap((wanted) => rows.filter((row) => wants(wanted, row)));
      expect(missed.map(({ body }) => body)).toEqual([]);
    };
    for (let n = 0; n < 150; n++) {
      const what = random.next();
      if (what < 0.35) send();
      else if (what < 0.65) receive();
      else if (what < 0.7) all.push(queue.depth('q'));
      else if (what < 0.85) for (let left = random.between(0, 6); left > 0; left--) await Promise.resolve();
      else if (what < 0.93) await new Promise((resolve) => setImmediate(resolve));
      else {
        await embedded.clock.advance(random.between(1, 1_000));
        nobodyMissesAnything();
      }
    }
    await embedded.clock.advance(3_600_000);
    await Promise.all(all);
    const left = new Set(ready().map(({ body }) => body));
    const lost = Array.from({ length: sent }, (_, n) => `${n}`).filter((body) => !left.has(body) && !given.has(body));
    expect(lost).toEqual([]);
    expect([...acknowledged].filter((body) => left.has(body))).toEqual([]);
  });
});
