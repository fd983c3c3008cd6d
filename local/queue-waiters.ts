import type { Clock } from '../shared/ports/clock.ts';
import type { ReceiveOptions } from '../shared/ports/queue.ts';
import { Alarm } from './alarm.ts';

interface Wait extends Pick<ReceiveOptions, 'group' | 'kinds' | 'signal'> {
  /** `wakes` as it was before the queue was found empty: a wake since then must not be missed. */
  readonly wakes: number;
  readonly ms: number;
  /** When the queue will have something by itself. */
  readonly nextAt: number | null;
}

interface Waiter {
  readonly wants: (message: Lane) => boolean;
  readonly wake: (why: Waking) => void;
}

interface Lane {
  readonly group: string;
  readonly kind: string;
}

/** An error would be made, with its stack, for nobody. */
const WAIT_ENDED = Symbol('the wait has ended');

type Waking = 'message' | 'time' | 'aborted';

/** Those who wait for one queue, and the one alarm for the next message that becomes ready by itself. */
export class QueueWaiters {
  readonly #waiting = new Set<Waiter>();
  readonly #alarm: Alarm;
  #wakes = 0;

  constructor(private readonly clock: Clock) {
    this.#alarm = new Alarm(clock, () => this.wakeAll());
  }

  get wakes(): number {
    return this.#wakes;
  }

  /** Until woken, aborted or the time is up. */
  async wait({ wakes, ms, nextAt, group, kinds, signal }: Wait): Promise<Waking> {
    if (wakes !== this.#wakes) return 'message';
    if (signal?.aborted === true) return 'aborted';
    const timeout = new AbortController();
    const wanted = kinds === undefined ? null : new Set(kinds);
    return new Promise<Waking>((resolve) => {
      const wake = (why: Waking): void => {
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(waiter);
        if (this.#waiting.size === 0) this.#alarm.set(null);
        timeout.abort(WAIT_ENDED);
        resolve(why);
      };
      const abort = (): void => wake('aborted');
      const waiter: Waiter = {
        wants: (message) =>
          (group === undefined || group === message.group) && (wanted === null || wanted.has(message.kind)),
        wake,
      };
      this.#waiting.add(waiter);
      if (nextAt !== null) this.#ring(nextAt);
      signal?.addEventListener('abort', abort, { once: true });
      const timeUp = (): void => wake('time');
      this.clock.sleep(ms, timeout.signal).then(timeUp, timeUp);
    });
  }

  /** Something becomes ready then that was not there before: who has just looked, and does not wait yet, looks again. */
  ringAt(at: number): void {
    this.#wakes += 1;
    this.#ring(at);
  }

  /** Never later than set: another waiter may count on it. */
  #ring(at: number): void {
    if (this.#waiting.size > 0) this.#alarm.set(Math.min(at, this.#alarm.at ?? at));
  }

  /** One waiter for each message, those who came first; the others sleep on. */
  wakeFor(messages: readonly Lane[]): void {
    this.#wakes += 1;
    for (const message of messages) {
      for (const waiter of this.#waiting) {
        if (!waiter.wants(message)) continue;
        waiter.wake('message');
        break;
      }
    }
  }

  wakeAll(): void {
    this.#wakes += 1;
    for (const waiter of [...this.#waiting]) waiter.wake('message');
  }
}
