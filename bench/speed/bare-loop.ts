import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { monotonicMs } from './monotonic.ts';
import { PAYLOAD } from './payload.ts';
import { STEPS } from './step-notes.ts';

export interface BareLoop {
  /** Milliseconds of each run, one at a time, every write with its own fsync. */
  readonly sequentialMs: readonly number[];
  /** Steps per second of each round of runs side by side, one fsync for the writes of all. */
  readonly stepsPerS: readonly number[];
}

/**
 * The limit: the conditional writes of a run of ten steps and nothing else. The head enters two indexes, is claimed and
 * completed; each step is put if it is not there; values are JSON; every commit is fsynced before the next begins.
 */
export function bareLoop(
  directory: string,
  sizes: { readonly sequential: number; readonly runs: number; readonly rounds: number },
): BareLoop {
  const db = new DatabaseSync(join(directory, 'bare.db'));
  db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 8000;
    CREATE TABLE items (pk TEXT, sk TEXT, item TEXT, PRIMARY KEY (pk, sk)) WITHOUT ROWID;
    CREATE TABLE entries (name TEXT, hash TEXT, range TEXT, pk TEXT, PRIMARY KEY (name, hash, range, pk)) WITHOUT ROWID;`);
  const put = db.prepare('INSERT INTO items (pk, sk, item) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const get = db.prepare('SELECT item FROM items WHERE pk = ? AND sk = ?');
  const set = db.prepare('UPDATE items SET item = ? WHERE pk = ? AND sk = ?');
  const enter = db.prepare('INSERT INTO entries (name, hash, range, pk) VALUES (?, ?, ?, ?)');
  const leave = db.prepare('DELETE FROM entries WHERE name = ? AND hash = ? AND range = ? AND pk = ?');
  let made = 0;

  const putNew = (pk: string, sk: string, item: object): void => {
    if (put.run(pk, sk, JSON.stringify(item)).changes !== 1) throw new Error('it was there already');
  };
  const change = (pk: string, from: string, changes: object): void => {
    const head = JSON.parse((get.get(pk, 'head') as { item: string }).item) as { st: string };
    if (head.st !== from) throw new Error('somebody else was first');
    set.run(JSON.stringify({ ...head, ...changes }), pk, 'head');
  };
  /** What each commit of a run writes. */
  const phases = (): ((pk: string) => void)[] => [
    (pk) => {
      const now = String(Date.now());
      putNew(pk, 'head', { st: 'PENDING', typ: 'ten-steps', in: PAYLOAD, ep: 0, w: pk, dk: 'due', ds: now, ls: now });
      enter.run('due', 'due#0', now, pk);
      enter.run('list', 'open#0', now, pk);
      dueAt.set(pk, now);
    },
    (pk) => change(pk, 'PENDING', { st: 'RUNNING', lu: Date.now() + 30_000, lo: 'owner', lt: pk, ep: 1 }),
    ...Array.from({ length: STEPS }, (_, n) => (pk: string): void => {
      putNew(pk, `step#${n}`, { id: `step-${n}`, st: 'COMPLETED', ep: 1, w: pk, c0: Date.now(), out: PAYLOAD });
    }),
    (pk) => {
      change(pk, 'RUNNING', { st: 'COMPLETED', out: PAYLOAD, c2: Date.now(), dk: null, ds: null });
      const at = dueAt.get(pk) ?? '';
      leave.run('due', 'due#0', at, pk);
      leave.run('list', 'open#0', at, pk);
      enter.run('list', 'completed#0', at, pk);
    },
  ];
  const dueAt = new Map<string, string>();
  const runAll = (runs: number): number => {
    const keys = Array.from({ length: runs }, () => `default#run#${String(made++).padStart(36, '0')}`);
    const since = monotonicMs();
    for (const phase of phases()) {
      db.exec('BEGIN');
      for (const key of keys) phase(key);
      db.exec('COMMIT');
    }
    return monotonicMs() - since;
  };

  try {
    for (let n = 0; n < sizes.sequential / 2; n++) runAll(1);
    runAll(sizes.runs);
    const sequentialMs = Array.from({ length: sizes.sequential }, () => runAll(1));
    const stepsPerS = Array.from({ length: sizes.rounds }, () => (sizes.runs * STEPS * 1000) / runAll(sizes.runs));
    return { sequentialMs, stepsPerS };
  } finally {
    db.close();
  }
}
