import type { Clock } from '../../shared/ports/clock.ts';

/**
 * The time of the engine as its answers tell it, carried on by a clock that nobody sets: a worker whose own time is wrong
 * keeps the times of its runs all the same. It is behind rather than ahead, so no sleep ends early by it.
 */
export class ServerClock implements Clock {
  #time: number;
  #mark: number;
  #hasHeard = false;

  constructor(
    /** The worker's own, for what has to do with the worker alone. */
    readonly local: Clock,
  ) {
    this.#time = local.now();
    this.#mark = local.monotonic();
  }

  now(): number {
    return this.#time + Math.floor(this.local.monotonic() - this.#mark);
  }

  monotonic(): number {
    return this.local.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.local.sleep(ms, signal);
  }

  /**
   * An answer said what time it was. That was after the request was sent, and some time ago: so by now it is that time
   * at least, and no later than if the answer had taken all the time since then.
   */
  hear(serverTime: string, sentAt: number): void {
    const least = Date.parse(serverTime);
    if (Number.isNaN(least)) return;
    const most = least + this.local.monotonic() - sentAt;
    const time = this.#hasHeard ? Math.min(Math.max(this.now(), least), most) : least;
    this.#hasHeard = true;
    this.#time = Math.floor(time);
    this.#mark = this.local.monotonic();
  }
}
