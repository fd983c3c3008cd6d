import type { Telemetry } from '../shared/ports/telemetry.ts';
import { DEFAULT_CONFIG, type Engine } from '../shared/store/engine.ts';
import { startBackground } from './background.ts';
import { openEmbeddedEngine } from './embedded-engine.ts';

export { StoreOpenError } from './store-open-error.ts';

export interface EmbeddedOptions {
  /** How long a run is held that its worker says nothing of; 30 seconds if not given. */
  readonly leaseMs?: number;
  /** What the engine has to say; nothing is shown if not given. */
  readonly log?: Telemetry['log'];
}

export interface Embedded {
  /** For `createWorker(…).embedded(engine)` and `createClient({ embedded: engine })`. */
  readonly engine: Engine;
  /** Stop the workers first. */
  close(this: void): Promise<void>;
}

const WATCHDOG_MS = 1_000;
const MAX_RECEIVES = 5;

/** The whole engine in a directory, for this process alone: another one that opens it gets a StoreOpenError. */
export async function openEmbedded(directory: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  const leaseMs = options.leaseMs ?? DEFAULT_CONFIG.leaseMs;
  const embedded = openEmbeddedEngine(directory, {
    config: { ...DEFAULT_CONFIG, leaseMs, heartbeatMs: Math.min(DEFAULT_CONFIG.heartbeatMs, leaseMs / 3) },
    maxReceives: MAX_RECEIVES,
    telemetry: { count: () => undefined, log: options.log ?? (() => undefined) },
  });
  const background = await startBackground(embedded, { watchdogIntervalMs: WATCHDOG_MS }).catch(
    async (error: unknown) => {
      await embedded.close();
      throw error;
    },
  );
  return {
    engine: embedded.engine,
    async close() {
      await background.stop();
      await embedded.close();
    },
  };
}
