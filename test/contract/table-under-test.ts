import type { Table } from '../../shared/ports/table.ts';
import type { Flaw } from './engine-flaws.ts';

export interface OpenedTable {
  readonly table: Table;
  close(): Promise<void>;
  readonly flaws?: readonly Flaw[];
  /** Waits until the indexes show everything written so far. */
  settle?(): Promise<void>;
}

export interface TableUnderTest {
  readonly table: Table;
  readonly flaws: readonly Flaw[];
  /** A partition, or an index key, that no other test uses. */
  fresh(): string;
  settle(): Promise<void>;
}
