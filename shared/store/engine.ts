import type { RequestTrace } from '../model/request-trace.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Queue } from '../ports/queue.ts';
import type { Table } from '../ports/table.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Timers } from '../ports/timers.ts';
import { EngineMemory } from './engine-memory.ts';

export interface EngineConfig {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly workerStaleMs: number;
  readonly retentionMs: number;
  readonly payloadMaxBytes: number;
  readonly payloadWarnBytes: number;
  readonly pollTimeoutMs: number;
  readonly watchdogBatch: number;
  /** Runs that schedules start in one tick; the rest come in the next. */
  readonly firesPerTick: number;
  /** Both only ever grow: rows stay where they were written. */
  readonly dueShards: number;
  readonly listShards: number;
}

export const DEFAULT_CONFIG: EngineConfig = {
  leaseMs: 30_000,
  heartbeatMs: 10_000,
  workerStaleMs: 30_000,
  retentionMs: 30 * 86_400_000,
  payloadMaxBytes: 2 * 1024 * 1024,
  payloadWarnBytes: 1024 * 1024,
  pollTimeoutMs: 20_000,
  watchdogBatch: 100,
  firesPerTick: 1_000,
  dueShards: 1,
  listShards: 1,
};

export interface EngineParts {
  readonly table: Table;
  readonly queue: Queue;
  readonly timers: Timers;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly config: EngineConfig;
}

/** Everything a use case may reach. */
export interface Engine extends EngineParts {
  readonly memory: EngineMemory;
  /** What the work at hand belongs to: see traced-engine. */
  readonly trace?: RequestTrace;
}

/** One per process and table. */
export const createEngine = (parts: EngineParts): Engine => ({ ...parts, memory: new EngineMemory() });
