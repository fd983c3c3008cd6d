import type { Clock } from '../../shared/ports/clock.ts';

/** Time that stands still until it is moved, and on which nobody can wait. */
export class StillClock implements Clock {
  #elapsed = 0;

  constructor(private readonly start = 1_800_000_000_000) {}

  now(): number {
    return this.start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  async sleep(ms: number): Promise<void> {
    if (ms > 0) throw new Error(`nobody may sleep here, not even ${ms} ms`);
  }

  advance(ms: number): void {
    this.#elapsed += ms;
  }
}
