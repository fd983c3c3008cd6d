import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '../../local/sqlite-store.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { ENGINE_FLAWS } from '../contract/engine-flaws.ts';
import type { OpenedTable } from '../contract/table-under-test.ts';
import { type EngineKind, startDynamoEngine } from './dynamo-engines.ts';

export async function openSqliteTable(indexLagMs = 0): Promise<OpenedTable> {
  const directory = await mkdtemp(join(tmpdir(), 'kagzi-table-'));
  const store = SqliteStore.open(directory);
  const clock = new SystemClock();
  const options = indexLagMs > 0 ? { indexLagMs: () => Math.random() * indexLagMs } : {};
  return {
    table: new SqliteTable(store, clock, options),
    settle: () => clock.sleep(indexLagMs > 0 ? indexLagMs + 1 : 0),
    async close() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

export async function openDynamoTable(kind: EngineKind): Promise<OpenedTable> {
  const engine = await startDynamoEngine(kind);
  return { table: await engine.openTable(), close: () => engine.stop(), flaws: ENGINE_FLAWS[kind.name] ?? [] };
}
