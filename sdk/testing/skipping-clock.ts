import type { Clock } from '../../shared/ports/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that stands still until it jumps: whoever sleeps wakes when the jump has passed its time. */
export class SkippingClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #elapsed = 0;

  constructor(private readonly start: number) {}

  now(): number {
    return this.start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
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

  jump(ms: number): void {
    this.#elapsed += ms;
    const due = [...this.#sleepers].filter((sleeper) => sleeper.at <= this.#elapsed).sort((a, b) => a.at - b.at);
    for (const sleeper of due) sleeper.wake();
  }
}
