import type { Clock } from '../shared/ports/clock.ts';
import { Alarm } from './alarm.ts';

interface Wait {
  /** `wakes` as it was before the queue was found empty: a wake since then must not be missed. */
  readonly wakes: number;
  readonly ms: number;
  /** When the queue will have something by itself. */
  readonly nextAt: number | null;
  readonly signal: AbortSignal | undefined;
}

/** Those who wait for one queue, and the one alarm for the next message that becomes ready by itself. */
export class QueueWaiters {
  readonly #waiting = new Set<() => void>();
  readonly #alarm: Alarm;
  #wakes = 0;

  constructor(private readonly clock: Clock) {
    this.#alarm = new Alarm(clock, () => this.wake());
  }

  get wakes(): number {
    return this.#wakes;
  }

  /** Until woken, aborted or the time is up. */
  async wait({ wakes, ms, nextAt, signal }: Wait): Promise<void> {
    if (wakes !== this.#wakes || signal?.aborted === true) return;
    const timeout = new AbortController();
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        if (this.#waiting.size === 0) this.#alarm.set(null);
        timeout.abort();
        resolve();
      };
      this.#waiting.add(wake);
      // Never later than set: another waiter may count on a message that this one saw as ready, but not for it.
      if (nextAt !== null) this.#alarm.set(Math.min(nextAt, this.#alarm.at ?? nextAt));
      signal?.addEventListener('abort', wake, { once: true });
      this.clock.sleep(ms, timeout.signal).then(wake, wake);
    });
  }

  wake(): void {
    this.#wakes += 1;
    for (const wake of [...this.#waiting]) wake();
  }
}
