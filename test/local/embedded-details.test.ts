import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteQueue } from '../../local/sqlite-queue.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { SqliteTimers } from '../../local/sqlite-timers.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import type { Item } from '../../shared/ports/table.ts';
import { type EmbeddedStore, embeddedStore } from '../helpers/embedded-store.ts';

let embedded: EmbeddedStore;
beforeEach(() => {
  embedded = embeddedStore();
});
afterEach(() => embedded.remove());

const plan = (sql: string): string =>
  (embedded.store.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
    .map((row) => row.detail)
    .join('; ');

describe('table', () => {
  it('gives back every kind of value after a restart', async () => {
    const table = new SqliteTable(embedded.store, embedded.clock);
    const item = {
      ...(JSON.parse('{"__proto__":"own","constructor":1}') as Record<string, string>),
      pk: 'p\u0000\u{1F600}',
      sk: 's\u0000',
      bytes: new Uint8Array([0, 255, 128]),
      nested: [
        { '\u0000b': 'not bytes', '\u0000\u0000b': new Uint8Array(), list: [null, true, -1.5e-7, 'a\u0000b'] },
        {},
        [],
      ],
      '\u0000b': 'x',
    } satisfies Item;
    await table.put(item);
    const reopened = new SqliteTable(await embedded.reopen(), embedded.clock);
    const found = (await reopened.get(item)).item;
    expect(found).toEqual(item);
    expect(Object.keys(found ?? {}).sort()).toEqual(Object.keys(item).sort());
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  });

  it('removes what has expired, oldest first and no more than asked, and its index rows', async () => {
    const table = new SqliteTable(embedded.store, embedded.clock);
    await table.batchWrite({
      put: [5, 10, 20, 30].map((ttl) => ({ pk: 'p', sk: `${ttl}`, ttl, lk: 'l', ls: `${ttl}` })),
    });
    await table.batchWrite({
      put: [
        { pk: 'p', sk: 'text', ttl: '1' },
        { pk: 'p', sk: 'none' },
      ],
    });
    expect(await table.sweepExpired(20, 2)).toBe(2);
    expect(await table.sweepExpired(20, 2)).toBe(1);
    expect(await table.sweepExpired(20, 2)).toBe(0);
    expect((await table.query({ pk: 'p' })).items.map((item) => item.sk)).toEqual(['30', 'none', 'text']);
    expect((await table.queryIndex({ index: 'list', hash: 'l' })).rows.map((row) => row.sk)).toEqual(['30']);
  });
});

describe('queue', () => {
  const receiving = { max: 10, waitMs: 0, visibilityMs: 30_000 };

  it('keeps messages, delays, deliveries and counts over a restart', async () => {
    const queue = new SqliteQueue(embedded.store, embedded.clock);
    await queue.send('q', [
      { body: 'ready', group: 'g', kind: 'k' },
      { body: 'delayed', group: 'g', kind: 'k', delayMs: 1000 },
    ]);
    await queue.receive('q', receiving);
    const reopened = new SqliteQueue(await embedded.reopen(), embedded.clock);
    expect(await reopened.depth('q')).toMatchObject({ ready: 0, delayed: 1, inFlight: 1 });
    await embedded.clock.advance(30_000);
    expect((await reopened.receive('q', receiving)).map((d) => `${d.body} ${d.receiveCount}`).sort()).toEqual([
      'delayed 1',
      'ready 2',
    ]);
  });

  it('declares nothing and knows the queues that were used', async () => {
    const queue = new SqliteQueue(embedded.store, embedded.clock);
    await queue.send('b', [{ body: '', group: 'g', kind: 'k' }]);
    await queue.send('a', [{ body: '', group: 'g', kind: 'k' }]);
    await queue.ack('a', await queue.receive('a', receiving));
    expect(await queue.declared()).toBeNull();
    expect(await queue.names()).toEqual(['a', 'b']);
  });

  it('rejects those who wait when the store closes', async () => {
    const queue = new SqliteQueue(embedded.store, embedded.clock);
    const waiting = queue.receive('q', { ...receiving, waitMs: 20_000 });
    await embedded.clock.advance(1);
    await embedded.store.close();
    await expect(waiting).rejects.toMatchObject({ failure: 'unavailable' });
  });

  it('leaves no sleeper behind when nobody waits', async () => {
    const queue = new SqliteQueue(embedded.store, embedded.clock);
    const waiting = queue.receive('q', { ...receiving, waitMs: 20_000 });
    await queue.send('q', [{ body: 'later', group: 'g', kind: 'k', delayMs: 5000 }]);
    await queue.send('q', [{ body: 'now', group: 'g', kind: 'k' }]);
    expect(await waiting).toHaveLength(1);
    expect(embedded.clock.sleeping).toBe(0);
  });

  it('finds ready messages by ranges of an index, whatever is delayed or in flight', () => {
    expect(
      plan(
        "SELECT id FROM messages WHERE queue = x'00' AND visible_at <= 5 ORDER BY visible_at, held, sent_at, id LIMIT 1",
      ),
    ).toBe('SEARCH messages USING COVERING INDEX messages_due (queue=? AND visible_at<?)');
    const lane = plan(
      "SELECT body FROM messages WHERE queue = x'00' AND grp = x'00' AND kind = x'00' AND visible_at <= 5 ORDER BY visible_at, id",
    );
    expect(lane).toBe('SEARCH messages USING INDEX messages_selected (queue=? AND grp=? AND kind=? AND visible_at<?)');
    const hop = plan(
      "SELECT grp, kind FROM messages WHERE queue = x'00' AND (grp, kind) > (x'00', x'00') ORDER BY grp, kind LIMIT 1",
    );
    expect(hop).toMatch(/^SEARCH messages USING COVERING INDEX messages_selected \(queue=\? AND \(?grp/);
  });
});

describe('timers', () => {
  const fired = async (queue: SqliteQueue): Promise<readonly string[]> =>
    (await queue.receive(CONTROL_QUEUE, { max: 10, waitMs: 0, visibilityMs: 1000 })).map((delivery) => delivery.body);

  it('fire after a restart what came due meanwhile, and later the rest', async () => {
    const before = new SqliteTimers(embedded.store, new SqliteQueue(embedded.store, embedded.clock), embedded.clock);
    await before.start();
    await before.set('soon', embedded.clock.now() + 1000, { body: 'soon', group: 'g' });
    await before.set('late', embedded.clock.now() + 90_000, { body: 'late', group: 'g' });
    await embedded.reopen();
    await embedded.clock.advance(60_000);
    const queue = new SqliteQueue(embedded.store, embedded.clock);
    const after = new SqliteTimers(embedded.store, queue, embedded.clock);
    await after.start();
    expect(await fired(queue)).toEqual(['soon']);
    await embedded.clock.advance(30_000);
    expect(await fired(queue)).toContain('late');
  });

  it('do not fire once stopped, and leave no sleeper behind', async () => {
    const queue = new SqliteQueue(embedded.store, embedded.clock);
    const timers = new SqliteTimers(embedded.store, queue, embedded.clock);
    await timers.start();
    await timers.set('a', embedded.clock.now() + 3600_000, { body: 'a', group: 'g' });
    await embedded.clock.advance(3599_999);
    expect(await fired(queue)).toEqual([]);
    timers.stop();
    await embedded.clock.advance(10_000);
    expect(await fired(queue)).toEqual([]);
    expect(embedded.clock.sleeping).toBe(0);
  });
});
