import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

/** What SQLite finds wrong with a store that nobody has open. */
export function storeProblems(directory: string): string[] {
  const db = new DatabaseSync(join(directory, 'kagzi.db'));
  try {
    const rows = db.prepare('PRAGMA integrity_check').all() as { readonly integrity_check: string }[];
    return rows
      .map((row) => row.integrity_check)
      .filter((found) => found !== 'ok')
      .map((found) => `store: ${found}`);
  } finally {
    db.close();
  }
}
