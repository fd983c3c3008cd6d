import { afterEach, describe, expect, it } from 'vitest';
import { SqliteQueue } from '../../local/sqlite-queue.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { type EmbeddedStore, embeddedStore } from '../helpers/embedded-store.ts';
import { settle } from '../helpers/manual-clock.ts';

let embedded: EmbeddedStore;
afterEach(() => embedded.remove());

const key = { pk: 'p', sk: 's' };

/** A table whose commits are counted, and fail while `broken` says so. */
function countedTable() {
  const state = { commits: 0, broken: false };
  embedded = embeddedStore({
    beforeCommit: () => {
      state.commits += 1;
      if (state.broken) throw new Error('the disk is gone');
    },
  });
  return { state, table: new SqliteTable(embedded.store, embedded.clock) };
}

describe('group commit', () => {
  it('commits operations of one turn together', async () => {
    const { state, table } = countedTable();
    await Promise.all(Array.from({ length: 50 }, (_, i) => table.put({ pk: 'p', sk: `${i}` })));
    expect(state.commits).toBe(1);
  });

  it('commits early when a group grows large', async () => {
    const { state, table } = countedTable();
    await Promise.all(Array.from({ length: 10_000 }, (_, i) => table.put({ pk: 'p', sk: `${i}` })));
    expect(state.commits).toBe(3);
  });

  it('answers a write, its reader and its loser only after the commit', async () => {
    const { state, table } = countedTable();
    const answers: string[] = [];
    const note = (name: string) => () => void answers.push(`${name} after ${state.commits}`);
    const writing = table.put({ ...key, n: 1 }).then(note('put'));
    const reading = table.get(key).then(({ item }) => note(`get ${JSON.stringify(item?.n)}`)());
    const losing = table.put(key, { op: 'missing', attr: 'pk' }).then((result) => note(`lost ${!result.ok}`)());
    const invalid = table.update(key, { add: { pk2: Number.NaN } }).catch((error) => note(error.failure)());
    for (let i = 0; i < 20; i++) await Promise.resolve();
    expect(answers.filter((answer) => !answer.startsWith('invalid'))).toEqual([]);
    await Promise.all([writing, reading, losing, invalid]);
    expect(answers.filter((answer) => !answer.startsWith('invalid')).sort()).toEqual([
      'get 1 after 1',
      'lost true after 1',
      'put after 1',
    ]);
  });

  it('lets who gets a message that follows a write do something about it in the same commit', async () => {
    const { state, table } = countedTable();
    const queue = new SqliteQueue(embedded.store, embedded.clock, { followsTable: true });
    const receive = { max: 1, waitMs: 1_000, visibilityMs: 1_000 };
    const served = queue.receive('q', receive).then(async ([message]) => {
      const changed = await table.update(key, { set: { by: message?.body ?? '' } }, { op: '=', attr: 'n', value: 1 });
      return { ok: changed.ok, commits: state.commits };
    });
    await settle();
    await queue.ack('q', []);
    const before = state.commits;
    const put = table.put({ ...key, n: 1 });
    await queue.send('q', [{ body: 'hello', group: 'g', kind: 'k' }]);
    expect([(await put).ok, await served]).toEqual([true, { ok: true, commits: before + 1 }]);
  });

  it('tells nobody of a message that follows nothing before it is committed', async () => {
    const { state } = countedTable();
    const queue = new SqliteQueue(embedded.store, embedded.clock);
    const receive = { max: 1, waitMs: 1_000, visibilityMs: 1_000 };
    const received = queue
      .receive('q', receive)
      .then(([message]) => `${message?.body} after ${state.commits - before}`);
    await settle();
    await queue.ack('q', []);
    const before = state.commits;
    await queue.send('q', [{ body: 'hello', group: 'g', kind: 'k' }]);
    expect(await received).toBe('hello after 1');
  });

  it('answers a read at once while nothing is being written', async () => {
    const { state, table } = countedTable();
    await table.put(key);
    expect((await table.get(key)).item).toEqual(key);
    expect(state.commits).toBe(1);
  });

  it('fails everybody in the group when the commit fails, and goes on afterwards', async () => {
    const { state, table } = countedTable();
    await table.put({ ...key, n: 1 });
    state.broken = true;
    const failed = await Promise.allSettled([
      table.put({ ...key, n: 2 }),
      table.get(key),
      table.put(key, { op: 'missing', attr: 'pk' }),
    ]);
    expect(failed.map((result) => result.status === 'rejected' && result.reason.failure)).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
    state.broken = false;
    expect((await table.get(key)).item).toEqual({ ...key, n: 1 });
    expect(await table.put({ ...key, n: 3 })).toMatchObject({ ok: true });
    expect((await table.get(key)).item).toEqual({ ...key, n: 3 });
  });

  it('rolls the whole group back when SQLite fails in one operation', async () => {
    const { table } = countedTable();
    const first = table.put(key);
    const broken = embedded.store.write(() => embedded.store.prepare('INSERT INTO queues (name) VALUES (NULL)').run());
    const results = await Promise.allSettled([first, broken]);
    expect(results.map((result) => result.status === 'rejected' && result.reason.failure)).toEqual([
      'unavailable',
      'unavailable',
    ]);
    expect((await table.get(key)).item).toBeNull();
  });

  it('rejects a single invalid operation alone', async () => {
    const { table } = countedTable();
    await table.put({ ...key, x: 'text' });
    const results = await Promise.allSettled([
      table.put({ pk: 'p', sk: 'other' }),
      table.update(key, { add: { x: 1 } }),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected']);
    expect((await table.get({ pk: 'p', sk: 'other' })).item).not.toBeNull();
  });

  it('flushes on close and answers nothing afterwards', async () => {
    const { table } = countedTable();
    const writing = table.put(key);
    await embedded.store.close();
    expect(await writing).toMatchObject({ ok: true });
    await expect(table.get(key)).rejects.toMatchObject({ failure: 'unavailable' });
    await expect(table.put(key)).rejects.toMatchObject({ failure: 'unavailable' });
    const reopened = new SqliteTable(await embedded.reopen(), embedded.clock);
    expect((await reopened.get(key)).item).toEqual(key);
  });

  it('wakes those who wait for an item after its change is committed', async () => {
    const { table } = countedTable();
    let woken = 0;
    const waiting = [table.awaitChange(key, 60_000), table.awaitChange(key, 60_000)].map((wait) =>
      wait.then(() => woken++),
    );
    await table.put({ pk: 'p', sk: 'another' });
    await settle();
    expect(woken).toBe(0);
    await table.put(key);
    await Promise.all(waiting);
    expect(embedded.clock.sleeping).toBe(0);
  });

  it('stops waiting for an item when the time is up', async () => {
    const { table } = countedTable();
    const waiting = table.awaitChange(key, 1000);
    await embedded.clock.advance(1000);
    await waiting;
  });
});
