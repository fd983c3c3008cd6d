import type { Clock } from '../../shared/ports/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Lets everything that is ready run: commits of the store are immediates, and answers to them follow. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Time that stands still until it is moved. */
export class ManualClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #elapsed = 0;

  constructor(private readonly start = 1_800_000_000_000) {}

  now(): number {
    return this.start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      if (ms <= 0) return resolve();
      const stop = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = {
        at: this.#elapsed + ms,
        wake: () => {
          signal?.removeEventListener('abort', stop);
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Stops at each moment somebody sleeps until. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    for (;;) {
      const due = [...this.#sleepers].filter((sleeper) => sleeper.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#elapsed = Math.max(this.#elapsed, due.at);
      due.wake();
      await settle();
    }
    this.#elapsed = end;
    await settle();
  }
}
