import { MemoryBlobs } from '../../sdk/testing/memory-blobs.ts';
import type { Item } from '../../shared/ports/table.ts';
import type { EngineParts } from '../../shared/store/engine.ts';
import { HEAD } from '../../shared/store/keys.ts';
import type { ManualClock } from '../helpers/manual-clock.ts';
import { MemoryQueue, MemoryTimers } from '../helpers/memory-queue.ts';
import { MemoryTable } from '../helpers/memory-table.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { WriteGuard } from '../helpers/write-guard.ts';
import { SequenceIds } from './sequence-ids.ts';
import { StillClock } from './still-clock.ts';

/** What outlives every process. */
export interface Store {
  readonly parts: Omit<EngineParts, 'telemetry' | 'config'>;
  advance(ms: number): Promise<void>;
  /** When something happens by itself next: a row falls due, a message becomes visible, a timer fires. */
  nextEventAt(now: number): number;
  heads(): Promise<readonly Item[]>;
  removeExpired(): Promise<void>;
  /** Writes that must not have been made, where the store can tell. */
  readonly wrongWrites: readonly string[];
  close(): Promise<void>;
}

export function memoryStore(indexLagMs: () => number = () => 0): Store {
  const clock = new StillClock();
  const guard = new WriteGuard(() => clock.now());
  const table = new MemoryTable(clock, indexLagMs, (before, after) => guard.see(before, after));
  const queue = new MemoryQueue(clock);
  const timers = new MemoryTimers(queue);
  return {
    parts: { table, queue, timers, blobs: new MemoryBlobs(clock), clock, ids: new SequenceIds() },
    async advance(ms) {
      clock.advance(ms);
      await timers.fire(clock.now());
    },
    nextEventAt: (now) => Math.min(table.nextDueAt(now), queue.nextVisibleAt(now), timers.nextAt()),
    heads: async () => table.everywhere(HEAD),
    removeExpired: () => table.removeExpired(),
    wrongWrites: guard.wrong,
    close: async () => undefined,
  };
}

/** The same on the embedded adapters; slower, because every commit is synced. */
export async function embeddedStore(indexLagMs: () => number): Promise<Store> {
  let parts: EngineParts | undefined;
  const test = await testEngine({ indexLagMs, wrap: (given) => (parts = given) });
  if (parts === undefined) throw new Error('no parts');
  const { store } = test.embedded;
  const clock: ManualClock = test.clock;
  const earliest = (sql: string, ...values: number[]): number =>
    (store.prepare(sql).get(...values) as { readonly at: number | null }).at ?? Number.POSITIVE_INFINITY;
  const { table } = parts;
  return {
    parts: { ...parts, ids: new SequenceIds() },
    advance: (ms) => clock.advance(ms),
    nextEventAt: (now) =>
      Math.min(
        earliest('SELECT min(visible_at) AS at FROM messages WHERE visible_at > ?', now),
        earliest('SELECT min(at) AS at FROM timers'),
        earliest(
          `SELECT min(max(CAST(CAST(range AS TEXT) AS INTEGER), visible_from)) AS at FROM idx
           WHERE name = 'due' AND (visible_to IS NULL OR visible_to > ?)
           AND max(CAST(CAST(range AS TEXT) AS INTEGER), visible_from) > ?`,
          now,
          now,
        ),
      ),
    async heads() {
      const rows = store.prepare("SELECT CAST(pk AS TEXT) AS pk FROM items WHERE CAST(sk AS TEXT) = 'head'").all();
      const keys = (rows as { readonly pk: string }[]).map(({ pk }) => ({ pk, sk: HEAD }));
      return (await table.batchGet(keys, { consistent: true })).items;
    },
    removeExpired: async () => undefined,
    wrongWrites: [],
    close: () => test.close(),
  };
}
