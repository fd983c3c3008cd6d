import type { Clock } from '../shared/ports/clock.ts';
import type { Key } from '../shared/ports/table.ts';

/** Two keys of one name would wake those of the other, too: it is a hint. */
const nameOf = (key: Key): string => `${key.pk}\n${key.sk}`;
/** An error would be made, with its stack, for nobody. */
const WAIT_ENDED = Symbol('the wait has ended');

/** Wakes those who wait for an item to change, in this process. */
export class ChangeSignals {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly clock: Clock) {}

  async wait(key: Key, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    const name = nameOf(key);
    const timeout = new AbortController();
    await new Promise<void>((resolve) => {
      const waiters = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiters);
      const wake = (): void => {
        waiters.delete(wake);
        if (waiters.size === 0 && this.#waiting.get(name) === waiters) this.#waiting.delete(name);
        signal?.removeEventListener('abort', wake);
        timeout.abort(WAIT_ENDED);
        resolve();
      };
      waiters.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
      this.clock.sleep(timeoutMs, timeout.signal).then(wake, wake);
    });
  }

  wake(keys: readonly Key[]): void {
    for (const key of keys) {
      if (this.#waiting.size === 0) return;
      for (const wake of [...(this.#waiting.get(nameOf(key)) ?? [])]) wake();
    }
  }

  wakeAll(): void {
    for (const waiters of [...this.#waiting.values()]) for (const wake of [...waiters]) wake();
  }
}
