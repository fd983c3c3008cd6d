import type { Telemetry } from '../shared/ports/telemetry.ts';
import { createEngine, DEFAULT_CONFIG, type Engine, type EngineConfig } from '../shared/store/engine.ts';
import { SystemClock } from '../shared/system/system-clock.ts';
import { SystemIds } from '../shared/system/system-ids.ts';
import { FileBlobs } from './file-blobs.ts';
import type { Settings } from './settings.ts';
import { SqliteQueue } from './sqlite-queue.ts';
import { SqliteStore } from './sqlite-store.ts';
import { SqliteTable } from './sqlite-table.ts';
import { SqliteTimers } from './sqlite-timers.ts';

/** The whole engine in one directory and one process. */
export interface EmbeddedEngine {
  readonly engine: Engine;
  readonly table: SqliteTable;
  readonly queue: SqliteQueue;
  readonly timers: SqliteTimers;
  close(): Promise<void>;
}

export const engineConfig = (settings: Settings): EngineConfig => ({
  ...DEFAULT_CONFIG,
  leaseMs: settings.leaseSecs * 1000,
  heartbeatMs: settings.workerHeartbeatIntervalSecs * 1000,
  workerStaleMs: settings.watchdogWorkerStaleThresholdSecs * 1000,
  retentionMs: settings.retentionDays * 86_400_000,
  payloadMaxBytes: settings.payloadMaxSizeBytes,
  payloadWarnBytes: settings.payloadWarnThresholdBytes,
  pollTimeoutMs: settings.workerPollTimeoutSecs * 1000,
  watchdogBatch: settings.watchdogBatchSize,
  firesPerTick: settings.schedulerMaxWorkflowsPerTick,
});

/** Throws a StoreOpenError that says in one line why the directory cannot be used. */
export function openEmbeddedEngine(
  directory: string,
  options: { readonly config: EngineConfig; readonly maxReceives: number; readonly telemetry: Telemetry },
): EmbeddedEngine {
  const { telemetry } = options;
  const clock = new SystemClock();
  const store = SqliteStore.open(directory);
  const table = new SqliteTable(store, clock, {
    onUse(units) {
      telemetry.count('write_units', units.write);
      telemetry.count('read_units', units.read);
    },
  });
  const queue = new SqliteQueue(store, clock, { maxReceives: options.maxReceives, followsTable: true });
  const timers = new SqliteTimers(store, queue, clock);
  const engine = createEngine({
    table,
    queue,
    timers,
    blobs: new FileBlobs(directory),
    clock,
    ids: new SystemIds(),
    telemetry,
    config: options.config,
  });
  return { engine, table, queue, timers, close: () => store.close() };
}
