import type { Clock } from '../../shared/ports/clock.ts';
import { thisHost } from '../host.ts';

/** How long code may take over something that is no step, when it has yet to ask for what it asked for before. */
const PATIENCE_MS = 10_000;
/** However fast the engine's clock is moved, as tests do: what the code waits for takes its real time. */
const REALLY_MS = 250;

export class Patience {
  #end: { readonly reached: Promise<true>; readonly stop: AbortController } | null = null;

  constructor(private readonly clock: Clock) {}

  /** The code has moved. */
  renew(): void {
    this.#end?.stop.abort();
    this.#end = null;
  }

  /** Whether it ends before the next thing happens. */
  endsBefore(next: Promise<unknown>): Promise<boolean> {
    this.#end ??= this.#begin();
    return Promise.race([next.then(() => false), this.#end.reached]);
  }

  #begin(): { readonly reached: Promise<true>; readonly stop: AbortController } {
    const stop = new AbortController();
    const waits = [this.clock.sleep(PATIENCE_MS, stop.signal), thisHost.clock.sleep(REALLY_MS, stop.signal)];
    const reached = Promise.all(waits).then(
      () => true as const,
      () => new Promise<never>(() => undefined),
    );
    return { reached, stop };
  }
}
