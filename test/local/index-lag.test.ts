import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { type EmbeddedStore, embeddedStore } from '../helpers/embedded-store.ts';

let embedded: EmbeddedStore;
let lagMs: number;
let table: SqliteTable;
const open = (): SqliteTable => new SqliteTable(embedded.store, embedded.clock, { indexLagMs: () => lagMs });

beforeEach(() => {
  embedded = embeddedStore();
  lagMs = 1000;
  table = open();
});
afterEach(() => embedded.remove());

const key = { pk: 'p', sk: 's' };
const due = async (): Promise<readonly string[]> =>
  (await table.queryIndex({ index: 'due', hash: 'd' })).rows.map((row) => row.range);

it('shows an entry late', async () => {
  await table.put({ ...key, dk: 'd', ds: '1' });
  expect(await due()).toEqual([]);
  await embedded.clock.advance(999);
  expect(await due()).toEqual([]);
  await embedded.clock.advance(1);
  expect(await due()).toEqual(['1']);
});

it('hides an entry late, and a changed key shows the old one until then', async () => {
  await table.put({ ...key, dk: 'd', ds: '1' });
  await embedded.clock.advance(1000);
  await table.update(key, { set: { ds: '2' } });
  expect(await due()).toEqual(['1']);
  await embedded.clock.advance(1000);
  expect(await due()).toEqual(['2']);
  await table.delete(key);
  expect(await due()).toEqual(['2']);
  await embedded.clock.advance(1000);
  expect(await due()).toEqual([]);
});

it('shows nothing of an entry that came and went within the lag of its coming', async () => {
  await table.put({ ...key, dk: 'd', ds: '1' });
  lagMs = 10;
  await table.delete(key);
  await embedded.clock.advance(2000);
  expect(await due()).toEqual([]);
});

it('shows an entry once although its leaving and its return overlap', async () => {
  await table.put({ ...key, dk: 'd', ds: '1' });
  await embedded.clock.advance(1000);
  await table.update(key, { remove: ['ds'] });
  lagMs = 1;
  await table.update(key, { set: { ds: '1' } });
  await embedded.clock.advance(500);
  expect(await due()).toEqual(['1']);
  await embedded.clock.advance(1000);
  expect(await due()).toEqual(['1']);
});

it('keeps lagging over a restart', async () => {
  await table.put({ ...key, dk: 'd', ds: '1' });
  await embedded.reopen();
  table = open();
  expect(await due()).toEqual([]);
  await embedded.clock.advance(1000);
  expect(await due()).toEqual(['1']);
});

it('forgets entries that have disappeared', async () => {
  await table.put({ ...key, dk: 'd', ds: '1' });
  await table.delete(key);
  await embedded.clock.advance(5000);
  await table.sweepExpired(0, 10);
  const rows = embedded.store.prepare('SELECT count(*) AS n FROM idx').get();
  expect(rows).toEqual({ n: 0 });
});

it('follows the items at once without a lag', async () => {
  lagMs = 0;
  await table.put({ ...key, dk: 'd', ds: '1' });
  expect(await due()).toEqual(['1']);
  await table.update(key, { set: { ds: '2' } });
  expect(await due()).toEqual(['2']);
  await table.update(key, { remove: ['dk'] });
  expect(await due()).toEqual([]);
});
