import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteStore } from '../../local/sqlite-store.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { StoreOpenError } from '../../local/store-open-error.ts';
import { STORE_FORMAT } from '../../local/store-schema.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = (): string => join(directory, 'kagzi.db');

function openFailure(path = directory): StoreOpenError {
  try {
    SqliteStore.open(path);
  } catch (error) {
    if (error instanceof StoreOpenError) return error;
    throw error;
  }
  throw new Error('it opened');
}

async function filledStore(): Promise<void> {
  const store = SqliteStore.open(directory);
  const table = new SqliteTable(store, new ManualClock());
  await table.batchWrite({ put: Array.from({ length: 200 }, (_, i) => ({ pk: 'p', sk: `${i}`, x: 'x'.repeat(500) })) });
  await store.close();
}

it('creates the directory it is given, and leaves one file when closed', async () => {
  const inner = join(directory, 'a', 'b');
  const store = SqliteStore.open(inner);
  await store.close();
  expect(readdirSync(inner)).toEqual(['kagzi.db']);
});

it('says so when the directory cannot be made', () => {
  writeFileSync(join(directory, 'file'), '');
  const failure = openFailure(join(directory, 'file', 'store'));
  expect(failure.failure).toBe('not-writable');
  expect(failure.message).not.toContain('\n');
});

it('says so when the file is a directory', () => {
  mkdirSync(file());
  expect(openFailure().failure).toBe('not-writable');
});

it('refuses the same directory twice in one process', async () => {
  const store = SqliteStore.open(directory);
  expect(openFailure()).toMatchObject({ failure: 'in-use', message: expect.stringContaining(`pid ${process.pid}`) });
  await store.close();
});

it('refuses a file that is no database', () => {
  writeFileSync(file(), 'not a database at all '.repeat(100));
  expect(openFailure()).toMatchObject({ failure: 'damaged', message: expect.stringContaining(file()) });
});

it('refuses a truncated database', async () => {
  await filledStore();
  truncateSync(file(), 3 * 4096 + 100);
  expect(openFailure().failure).toBe('damaged');
});

it('refuses a database with overwritten pages', async () => {
  await filledStore();
  const bytes = readFileSync(file());
  bytes.fill(0xa5, 8 * 4096, 12 * 4096);
  writeFileSync(file(), bytes);
  expect(openFailure().failure).toBe('damaged');
});

it('refuses the database of somebody else and leaves it alone', () => {
  const other = new DatabaseSync(file());
  other.exec('CREATE TABLE theirs (x)');
  other.close();
  expect(openFailure().failure).toBe('not-a-store');
});

it('refuses a newer format and names both', async () => {
  await filledStore();
  const db = new DatabaseSync(file());
  db.exec(`PRAGMA user_version = ${STORE_FORMAT + 1}`);
  db.close();
  const failure = openFailure();
  expect(failure.failure).toBe('newer-format');
  expect(failure.message).toContain(`format ${STORE_FORMAT + 1}, newer than the ${STORE_FORMAT}`);
});

it('brings a store of the first format up to date, and finds everything in it', async () => {
  await filledStore();
  const db = new DatabaseSync(file());
  db.exec(`ALTER TABLE items RENAME TO now;
    DROP INDEX items_key;
    DROP INDEX items_ttl;
    CREATE TABLE items (
      pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER NOT NULL, ttl REAL, item TEXT NOT NULL, PRIMARY KEY (pk, sk)
    ) WITHOUT ROWID;
    CREATE INDEX items_ttl ON items (ttl) WHERE ttl IS NOT NULL;
    INSERT INTO items SELECT pk, sk, size, ttl, item FROM now;
    DROP TABLE now;
    PRAGMA user_version = 1`);
  db.close();
  const store = SqliteStore.open(directory);
  const table = new SqliteTable(store, new ManualClock());
  expect((await table.query({ pk: 'p' })).items).toHaveLength(200);
  expect((await table.put({ pk: 'p', sk: '7' }, { op: 'missing', attr: 'pk' })).ok).toBe(false);
  await store.close();
});

it('opens an empty file as a new store', async () => {
  writeFileSync(file(), '');
  const store = SqliteStore.open(directory);
  await store.close();
});
