import { SqliteStore } from '../../local/sqlite-store.ts';

/** Opens a store and holds it until killed, or prints why it could not. */
const [directory = ''] = process.argv.slice(2);
try {
  SqliteStore.open(directory);
  process.stdout.write('open\n');
  setInterval(() => undefined, 1000);
} catch (error) {
  process.stdout.write(`${(error as Error).name}: ${(error as Error).message}\n`);
}
