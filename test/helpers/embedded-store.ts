import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore, type SqliteStoreOptions } from '../../local/sqlite-store.ts';
import { ManualClock } from './manual-clock.ts';

export interface EmbeddedStore {
  readonly directory: string;
  readonly clock: ManualClock;
  store: SqliteStore;
  reopen(): Promise<SqliteStore>;
  remove(): Promise<void>;
}

export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), 'kagzi-test-'));

export function embeddedStore(options: SqliteStoreOptions = {}): EmbeddedStore {
  const directory = temporaryDirectory();
  const embedded: EmbeddedStore = {
    directory,
    clock: new ManualClock(),
    store: SqliteStore.open(directory, options),
    async reopen() {
      await embedded.store.close();
      embedded.store = SqliteStore.open(directory, options);
      return embedded.store;
    },
    async remove() {
      await embedded.store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return embedded;
}

/** The directory is for blobs only, and what it holds does not survive. */
export function memoryStore(): EmbeddedStore {
  const directory = temporaryDirectory();
  const store = SqliteStore.inMemory();
  return {
    directory,
    clock: new ManualClock(),
    store,
    reopen: () => Promise.reject(new Error('what is in memory cannot be opened again')),
    async remove() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
