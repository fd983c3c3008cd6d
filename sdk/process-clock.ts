import type { Clock } from '../shared/ports/clock.ts';

/** setTimeout takes no more than 2^31 - 1 ms and fires at once for longer ones. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The time of a worker that has no engine in its process. */
export const processClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    const end = performance.now() + ms;
    for (let left = ms; left > 0; left = end - performance.now()) {
      await timeout(Math.min(Math.ceil(left), MAX_TIMEOUT_MS), signal);
    }
  },
};

function timeout(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
