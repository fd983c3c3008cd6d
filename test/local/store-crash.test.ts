import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteQueue } from '../../local/sqlite-queue.ts';
import { SqliteStore } from '../../local/sqlite-store.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import type { IndexRow } from '../../shared/ports/table.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { startScript } from '../helpers/child-script.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function indexedItems(table: SqliteTable): Promise<readonly string[]> {
  const found: string[] = [];
  let after: IndexRow | undefined;
  do {
    const page = await table.queryIndex({ index: 'due', hash: 'd', ...(after && { after }) });
    found.push(...page.rows.map((row) => row.sk));
    after = page.next ?? undefined;
  } while (after);
  return found;
}

it('keeps every acknowledged write when the process is killed', async () => {
  for (const round of [1, 2]) {
    const rounds = `${directory}/${round}`;
    const writer = startScript('store-writer.ts', [rounds]);
    await writer.printed(300 * round);
    await writer.kill();
    const acknowledged = writer.lines.slice(0, 2000);
    expect(acknowledged.length).toBeGreaterThanOrEqual(300);

    const clock = new SystemClock();
    const store = SqliteStore.open(rounds);
    const table = new SqliteTable(store, clock);
    const { items } = await table.batchGet(acknowledged.map((sk) => ({ pk: 'p', sk })));
    expect(items).toHaveLength(acknowledged.length);
    const indexed = new Set(await indexedItems(table));
    expect(acknowledged.filter((sk) => !indexed.has(sk))).toEqual([]);
    const queued = await new SqliteQueue(store, clock).receive('q', { max: 1_000_000, waitMs: 0, visibilityMs: 1000 });
    const bodies = new Set(queued.map((delivery) => delivery.body));
    expect(acknowledged.filter((body) => !bodies.has(body))).toEqual([]);
    await store.close();
  }
});

it('tells a second process who holds the store, and lets it in afterwards', async () => {
  const holder = startScript('store-opener.ts', [directory]);
  await holder.printed(1);
  expect(holder.lines).toEqual(['open']);
  const second = startScript('store-opener.ts', [directory]);
  await second.printed(1);
  expect(second.lines[0]).toMatch(/^StoreOpenError: The store .* is in use by another process \(pid \d+\)$/);
  expect(second.lines[0]).toContain(`pid ${holder.process.pid}`);
  await second.kill();
  await holder.kill();
  const store = SqliteStore.open(directory);
  await store.close();
});
