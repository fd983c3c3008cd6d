import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/** 'Kagz': tells our files from other SQLite databases. */
export const APPLICATION_ID = 0x4b61677a;

/**
 * Step n brings a store of format n to n + 1; released steps never change.
 * Strings are kept as UTF-8 blobs: the driver cuts text at NUL, and memcmp is the order we promise.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE items (
     pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER NOT NULL, ttl REAL, item TEXT NOT NULL,
     PRIMARY KEY (pk, sk)
   ) WITHOUT ROWID;
   CREATE INDEX items_ttl ON items (ttl) WHERE ttl IS NOT NULL;
   CREATE TABLE idx (
     name TEXT NOT NULL, hash BLOB NOT NULL, range BLOB NOT NULL, pk BLOB NOT NULL, sk BLOB NOT NULL,
     visible_from INTEGER NOT NULL, visible_to INTEGER,
     PRIMARY KEY (name, hash, range, pk, sk, visible_from)
   ) WITHOUT ROWID;
   CREATE INDEX idx_gone ON idx (visible_to) WHERE visible_to IS NOT NULL;
   CREATE TABLE queues (name BLOB PRIMARY KEY) WITHOUT ROWID;
   CREATE TABLE messages (
     id INTEGER PRIMARY KEY AUTOINCREMENT, queue BLOB NOT NULL, grp BLOB NOT NULL, kind BLOB NOT NULL,
     visible_at INTEGER NOT NULL, held INTEGER NOT NULL DEFAULT 0, sent_at INTEGER NOT NULL,
     receives INTEGER NOT NULL DEFAULT 0, body BLOB NOT NULL
   );
   CREATE INDEX messages_due ON messages (queue, visible_at, held, sent_at);
   CREATE INDEX messages_selected ON messages (queue, grp, kind, visible_at);
   CREATE TABLE timers (id BLOB PRIMARY KEY, at INTEGER NOT NULL, grp BLOB NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
   CREATE INDEX timers_due ON timers (at);`,
  // Items in the order in which they come, found by an index: a commit of many runs' steps then touches few pages.
  `ALTER TABLE items RENAME TO items_1;
   DROP INDEX items_ttl;
   CREATE TABLE items (pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER NOT NULL, ttl REAL, item TEXT NOT NULL);
   INSERT INTO items (pk, sk, size, ttl, item) SELECT pk, sk, size, ttl, item FROM items_1;
   DROP TABLE items_1;
   CREATE UNIQUE INDEX items_key ON items (pk, sk);
   CREATE INDEX items_ttl ON items (ttl) WHERE ttl IS NOT NULL;`,
];

export const STORE_FORMAT = MIGRATIONS.length;

export function migrate(db: DatabaseSyncInstance, from: number): void {
  for (let format = from; format < STORE_FORMAT; format++) {
    db.exec(
      `BEGIN; ${MIGRATIONS[format]} PRAGMA user_version = ${format + 1}; PRAGMA application_id = ${APPLICATION_ID}; COMMIT`,
    );
  }
}
