type Listener = (reason: unknown) => void;

/**
 * The word to stop, told once to whoever listens. An AbortController can do the same, but takes microseconds to make
 * and forgets a listener in time that grows with the number of all: every run and every step has some of these.
 */
export class Stop {
  #isTold = false;
  #reason: unknown;
  #listeners: Set<Listener> | null = null;

  /** Of a signal that is made for what listens, and goes with it. */
  static of(signal: AbortSignal): Stop {
    const stop = new Stop();
    if (signal.aborted) stop.tell(signal.reason);
    else signal.addEventListener('abort', () => stop.tell(signal.reason), { once: true });
    return stop;
  }

  get isTold(): boolean {
    return this.#isTold;
  }

  get reason(): unknown {
    return this.#reason;
  }

  tell(reason?: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = null;
    if (listeners !== null) for (const listener of listeners) listener(reason);
  }

  /** Nothing is heard of what was told before. */
  listen(listener: Listener): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  unlisten(listener: Listener): void {
    this.#listeners?.delete(listener);
  }
}
