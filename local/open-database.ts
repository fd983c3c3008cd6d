import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { StoreOpenError } from './store-open-error.ts';
import { APPLICATION_ID, migrate, STORE_FORMAT } from './store-schema.ts';

const QUICK_CHECK_BYTES = 64 * 1024 * 1024;
/**
 * Commits write the same pages again and again: the fewer checkpoints, the fewer of them are written twice. Of a store
 * that is busy; one that is idle has its own.
 */
const CHECKPOINT_PAGES = 8_000;
const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

export const pidFile = (directory: string): string => join(directory, 'kagzi.pid');

export const sqliteCode = (error: unknown): number | null => {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : null;
};

function makeDirectory(directory: string): void {
  try {
    // Payloads are nobody else's business.
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new StoreOpenError(
      'not-writable',
      `The store directory ${directory} cannot be created or written: ${reason}`,
      { cause },
    );
  }
}

function holder(directory: string): string {
  try {
    const pid = Number.parseInt(readFileSync(pidFile(directory), 'utf8'), 10);
    return Number.isSafeInteger(pid) ? ` (pid ${pid})` : '';
  } catch {
    return '';
  }
}

function explain(error: unknown, directory: string, file: string): unknown {
  if (error instanceof StoreOpenError) return error;
  switch (sqliteCode(error)) {
    case SQLITE_BUSY:
      return new StoreOpenError('in-use', `The store ${file} is in use by another process${holder(directory)}`, {
        cause: error,
      });
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return new StoreOpenError('damaged', `The store ${file} is damaged: ${(error as Error).message}`, {
        cause: error,
      });
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return new StoreOpenError(
        'not-writable',
        `The store ${file} cannot be opened for writing: ${(error as Error).message}`,
        {
          cause: error,
        },
      );
    default:
      return error;
  }
}

/** One value, without leaving a prepared statement: those keep a closed database open until they are collected. */
function ask(db: DatabaseSyncInstance, what: string): unknown {
  let answer: unknown;
  db.function('kagzi_answer', (value: unknown) => {
    answer = value;
    return null;
  });
  db.exec(`SELECT kagzi_answer(value) FROM (SELECT ${what} LIMIT 1)`);
  return answer;
}

function checkFormat(db: DatabaseSyncInstance, file: string): number {
  const tables = Number(ask(db, 'count(*) AS value FROM sqlite_schema'));
  if (tables > 0 && ask(db, 'application_id AS value FROM pragma_application_id') !== APPLICATION_ID) {
    throw new StoreOpenError('not-a-store', `${file} is a database, but not a Kagzi store`);
  }
  const format = Number(ask(db, 'user_version AS value FROM pragma_user_version'));
  if (format > STORE_FORMAT) {
    throw new StoreOpenError(
      'newer-format',
      `The store ${file} has format ${format}, newer than the ${STORE_FORMAT} this version of Kagzi reads`,
    );
  }
  return format;
}

function checkHealth(db: DatabaseSyncInstance, file: string): void {
  if (statSync(file).size >= QUICK_CHECK_BYTES) return;
  const found = ask(db, 'quick_check AS value FROM pragma_quick_check');
  if (found !== 'ok') throw new StoreOpenError('damaged', `The store ${file} is damaged: ${String(found)}`);
}

/**
 * The lock is held until close. It is a POSIX lock: opening and closing the file by other means in this
 * process would drop it, so nothing else here may touch kagzi.db.
 */
export function openDatabase(directory: string): DatabaseSyncInstance {
  makeDirectory(directory);
  const file = join(directory, 'kagzi.db');
  if (existsSync(file) && !statSync(file).isFile()) {
    throw new StoreOpenError('not-writable', `The store ${file} is not a file`);
  }
  let db: DatabaseSyncInstance | null = null;
  try {
    db = new DatabaseSync(file);
    // Nothing is written before we know that the file is ours.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    const format = checkFormat(db, file);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE; COMMIT');
    db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    checkHealth(db, file);
    migrate(db, format);
    writeFileSync(pidFile(directory), `${process.pid}\n`);
    return db;
  } catch (error) {
    db?.close();
    throw explain(error, directory, file);
  }
}

export function openMemoryDatabase(): DatabaseSyncInstance {
  const db = new DatabaseSync(':memory:');
  migrate(db, 0);
  return db;
}

/** Gives the lock back itself: the driver's close does not while prepared statements wait to be collected. */
export function closeDatabase(db: DatabaseSyncInstance): void {
  try {
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_schema LIMIT 1');
  } finally {
    db.close();
  }
}
