import { SqliteQueue } from '../../local/sqlite-queue.ts';
import { SqliteStore } from '../../local/sqlite-store.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';

/** Writes without end and prints each number once its item and its message were acknowledged. */
const [directory = ''] = process.argv.slice(2);
const clock = new SystemClock();
const store = SqliteStore.open(directory);
const table = new SqliteTable(store, clock);
const queue = new SqliteQueue(store, clock);

async function write(n: number): Promise<void> {
  await Promise.all([
    table.put({ pk: 'p', sk: String(n), dk: 'd', ds: String(n) }, { op: 'missing', attr: 'pk' }),
    queue.send('q', [{ body: String(n), group: 'g', kind: 'k' }]),
  ]);
  process.stdout.write(`${n}\n`);
}

for (let n = 0; ; n += 8) await Promise.all(Array.from({ length: 8 }, (_, i) => write(n + i)));
