import type { Clock } from '../shared/ports/clock.ts';

/** Sleeps follow the monotonic clock: looking again bounds how late a step of the wall clock makes us. */
const LOOK_AGAIN_MS = 60_000;

/** An error would be made, with its stack, for nobody. */
const MOVED = Symbol('the alarm was moved');

/** One wake-up at a wall-clock time, moved as often as needed. Never early. */
export class Alarm {
  #at: number | null = null;
  #pending: AbortController | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  get at(): number | null {
    return this.#at;
  }

  set(at: number | null): void {
    if (at === this.#at) return;
    this.#pending?.abort(MOVED);
    this.#pending = null;
    this.#at = at;
    if (at === null) return;
    const pending = new AbortController();
    this.#pending = pending;
    void this.#wait(at, pending.signal);
  }

  /** The clock tells whole milliseconds, so part of the present one has gone by: the last one is looked at by itself. */
  #pause(at: number): number {
    const left = at - this.clock.now();
    return left <= 0 ? 0 : Math.min(Math.max(left - 1, 1), LOOK_AGAIN_MS);
  }

  async #wait(at: number, signal: AbortSignal): Promise<void> {
    try {
      do await this.clock.sleep(this.#pause(at), signal);
      while (this.clock.now() < at);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (signal.aborted) return;
    this.#pending = null;
    this.#at = null;
    this.ring();
  }
}
