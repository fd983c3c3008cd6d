import type { Clock } from '../shared/ports/clock.ts';
import type { Key, StopWord } from '../shared/ports/table.ts';
import { Alarm } from './alarm.ts';

interface Waiter {
  readonly key: Key;
  readonly until: number;
  readonly wake: () => void;
}

/** Wakes those who wait for an item to change, in this process. One alarm rings for all whose time is up. */
export class ChangeSignals {
  /** By partition key: most writes are to partitions that nobody waits for. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #alarm: Alarm;

  constructor(private readonly clock: Clock) {
    // A length of time: a wall clock that is set back must not make it longer.
    const elapsed: Clock = {
      now: () => clock.monotonic(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    this.#alarm = new Alarm(elapsed, () => this.#endOverdue());
  }

  wait(key: Key, timeoutMs: number, stop?: StopWord): Promise<void> {
    if (stop?.isTold === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        stop?.unlisten(wake);
        this.#forget(waiter);
        resolve();
      };
      const waiter: Waiter = { key, until: this.clock.monotonic() + timeoutMs, wake };
      const others = this.#waiting.get(key.pk);
      if (others === undefined) this.#waiting.set(key.pk, new Set([waiter]));
      else others.add(waiter);
      stop?.listen(wake);
      if (waiter.until < (this.#alarm.at ?? Number.POSITIVE_INFINITY)) this.#alarm.set(waiter.until);
    });
  }

  wake(keys: readonly Key[]): void {
    for (const { pk, sk } of keys) {
      if (this.#waiting.size === 0) return;
      const waiters = this.#waiting.get(pk);
      // Who is woken is taken out, and whoever comes then comes for the next change.
      if (waiters !== undefined) for (const { key, wake } of [...waiters]) if (key.sk === sk) wake();
    }
  }

  wakeAll(): void {
    for (const waiters of [...this.#waiting.values()]) for (const { wake } of [...waiters]) wake();
  }

  #forget(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.key.pk);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(waiter.key.pk);
    if (this.#waiting.size === 0) this.#alarm.set(null);
  }

  #endOverdue(): void {
    const now = this.clock.monotonic();
    const all = [...this.#waiting.values()].flatMap((waiters) => [...waiters]);
    const left = all.filter(({ until }) => until > now);
    for (const { until, wake } of all) if (until <= now) wake();
    if (left.length > 0) this.#alarm.set(Math.min(...left.map(({ until }) => until)));
  }
}
