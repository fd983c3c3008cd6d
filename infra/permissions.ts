import type { IndexName } from '../shared/ports/table.ts';

type TableAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchWriteItem';
type BlobAction = 'GetObject' | 'PutObject' | 'DeleteObject';

/** What a function may do with the resources of its engine, and nothing else. */
export interface Permissions {
  readonly table: readonly TableAction[];
  readonly indexes: readonly IndexName[];
  readonly blobs: readonly BlobAction[];
  /** To every task queue and the control queue. */
  readonly sends: boolean;
  /** From every task queue, for workers that poll over HTTP. */
  readonly polls: boolean;
  /** Makes, changes and deletes one-time schedules in the engine's group. */
  readonly arms: boolean;
}

export type EngineFunctionName = 'api' | 'worker' | 'wake' | 'watchdog' | 'dead-letters' | 'run-events';

/** One row per function. What a function is triggered by is granted with the trigger. */
export const PERMISSIONS = {
  api: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'],
    indexes: ['list'],
    blobs: ['GetObject', 'PutObject', 'DeleteObject'],
    sends: true,
    polls: true,
    arms: true,
  },
  worker: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'],
    indexes: [],
    blobs: ['GetObject', 'PutObject'],
    sends: true,
    polls: false,
    arms: true,
  },
  wake: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'],
    indexes: ['due'],
    blobs: ['PutObject', 'DeleteObject'],
    sends: true,
    polls: false,
    arms: true,
  },
  watchdog: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'],
    indexes: ['due'],
    blobs: ['PutObject', 'DeleteObject'],
    sends: true,
    polls: false,
    arms: true,
  },
  'dead-letters': { table: ['PutItem'], indexes: [], blobs: [], sends: false, polls: false, arms: false },
  'run-events': { table: [], indexes: [], blobs: [], sends: false, polls: false, arms: false },
} as const satisfies Record<EngineFunctionName, Permissions>;
