import { FileBlobs } from '../../local/file-blobs.ts';
import { SqliteQueue } from '../../local/sqlite-queue.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { SqliteTimers } from '../../local/sqlite-timers.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import type { Table } from '../../shared/ports/table.ts';
import type { LogLevel, Metric, Telemetry } from '../../shared/ports/telemetry.ts';
import {
  createEngine,
  DEFAULT_CONFIG,
  type Engine,
  type EngineConfig,
  type EngineParts,
} from '../../shared/store/engine.ts';
import { MeteredTable } from '../../shared/store/metered-table.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';
import { handleControl } from '../../shared/usecases/handle-control.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { type EmbeddedStore, embeddedStore, memoryStore } from './embedded-store.ts';
import type { ManualClock } from './manual-clock.ts';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

export class RecordedTelemetry implements Telemetry {
  readonly lines: LogLine[] = [];
  readonly counts = new Map<Metric, number>();

  count(metric: Metric, value = 1): void {
    this.counts.set(metric, (this.counts.get(metric) ?? 0) + value);
  }

  log(level: LogLevel, message: string, fields: LogLine['fields'] = {}): void {
    this.lines.push({ level, message, fields });
  }
}

export interface TestEngine {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly table: MeteredTable;
  readonly queue: SqliteQueue;
  readonly telemetry: RecordedTelemetry;
  readonly embedded: EmbeddedStore;
  /** Moves time in steps of a second, with a tick of the watchdog and the control messages at each. */
  passes(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface TestEngineOptions {
  readonly config?: Partial<EngineConfig>;
  /** Another table than the embedded one; queue, timers and blobs stay embedded. */
  readonly table?: Table;
  /** Nothing is fsynced: for what asks about answers, not about crashes. */
  readonly inMemory?: boolean;
  /** How late the rows of the embedded table's indexes appear and disappear. */
  readonly indexLagMs?: () => number;
  /** For fault injection: what the use cases get instead of the plain parts. */
  readonly wrap?: (parts: EngineParts) => EngineParts;
}

/** An engine whose time stands still until it is moved. */
export async function testEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const embedded = options.inMemory === true ? memoryStore() : embeddedStore();
  const { clock, store, directory } = embedded;
  const lag = options.indexLagMs === undefined ? {} : { indexLagMs: options.indexLagMs };
  const table = new MeteredTable(options.table ?? new SqliteTable(store, clock, lag));
  const queue = new SqliteQueue(store, clock);
  const timers = new SqliteTimers(store, queue, clock);
  await timers.start();
  const telemetry = new RecordedTelemetry();
  const parts: EngineParts = {
    table,
    queue,
    timers,
    blobs: new FileBlobs(directory),
    clock,
    ids: new SystemIds(),
    telemetry,
    config: { ...DEFAULT_CONFIG, ...options.config },
  };
  const engine = createEngine(options.wrap?.(parts) ?? parts);
  return {
    engine,
    clock,
    table,
    queue,
    telemetry,
    embedded,
    async passes(ms) {
      for (let left = ms; left > 0; left -= 1000) {
        await clock.advance(Math.min(left, 1000));
        await watchdogTick(engine);
        await deliverControl(engine);
      }
    },
    async close() {
      timers.stop();
      await embedded.remove();
    },
  };
}

export async function deliverControl(engine: Engine): Promise<void> {
  for (;;) {
    const deliveries = await engine.queue.receive(CONTROL_QUEUE, { max: 10, waitMs: 0, visibilityMs: 30_000 });
    if (deliveries.length === 0) return;
    for (const delivery of deliveries) await handleControl(engine, delivery.body);
    await engine.queue.ack(CONTROL_QUEUE, deliveries);
  }
}
