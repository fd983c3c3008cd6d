import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteStore } from '../../local/sqlite-store.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kagzi-idle-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const bytes = (name: string): number => statSync(join(directory, name)).size;

it('a store that is idle brings its log into its file, and goes on', async () => {
  const store = SqliteStore.open(directory);
  const table = new SqliteTable(store, new SystemClock());
  const put = (n: number) => table.put({ pk: `p${n}`, sk: 's', x: 'x'.repeat(1_000) });
  const before = bytes('kagzi.db');
  for (let n = 0; n < 100; n++) await put(n);
  await expect.poll(() => bytes('kagzi.db'), { timeout: 10_000 }).toBeGreaterThan(before + 100_000);
  await put(100);
  expect((await table.get({ pk: 'p100', sk: 's' })).item).toMatchObject({ pk: 'p100' });
  await store.close();
});
