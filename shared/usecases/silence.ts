import type { Engine } from '../store/engine.ts';
import type { TickOptions } from './watchdog-tick.ts';

/** A look so long after the last one that succeeded comes after a time in which nobody was heard. */
const GAP_MS = 5_000;

/**
 * From when on a worker's silence means something. While the watchdog was down, or could not reach the table, workers
 * could not be heard either: they get the time of a heartbeat and a half before they are judged.
 */
export class Silence {
  #trustFrom = 0;
  #lookedAt: number;

  /** `lookedAt`: when somebody last looked; null if nobody did. */
  constructor(
    private readonly engine: Engine,
    private readonly intervalMs: number,
    lookedAt: number | null,
  ) {
    this.#lookedAt = lookedAt ?? Number.NEGATIVE_INFINITY;
  }

  async look<T>(look: (options: TickOptions) => Promise<T>): Promise<T> {
    const { clock, config } = this.engine;
    if (clock.now() - this.#lookedAt > this.intervalMs + GAP_MS) {
      this.#trustFrom = clock.now() + config.heartbeatMs * 1.5;
    }
    const result = await look({ trustSilenceFrom: this.#trustFrom });
    this.#lookedAt = clock.now();
    return result;
  }
}
