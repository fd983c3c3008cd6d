import type { Clock } from '../ports/clock.ts';

/** setTimeout takes no more than 2^31 - 1 ms and fires at once for longer ones. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function timeout(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}

export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  /** Rejects with the signal's reason when aborted. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const end = this.monotonic() + ms;
    for (let left = ms; left > 0; left = end - this.monotonic()) {
      await timeout(Math.min(Math.ceil(left), MAX_TIMEOUT_MS), signal);
    }
  }
}
