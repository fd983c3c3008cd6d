import type { EngineParts } from '../../shared/store/engine.ts';

/** Port calls that a process may die over. Waiting for messages is not one: nothing is lost by dying there. */
const CALLS = {
  table: ['get', 'put', 'update', 'delete', 'transact', 'query', 'queryIndex', 'batchGet', 'batchWrite'],
  queue: ['send', 'ack', 'release'],
  timers: ['set', 'cancel'],
  blobs: ['put', 'get', 'delete'],
} as const;

export interface CrashingParts {
  readonly parts: EngineParts;
  readonly calls: () => number;
  readonly isDead: () => boolean;
}

const never = (): Promise<never> => new Promise(() => undefined);

/** A process that dies right after its n-th port call was applied: nothing it waits for ever comes back. */
export function crashAfter(given: EngineParts, n: number): CrashingParts {
  let calls = 0;
  let dead = false;
  const wrap = <T extends object>(port: T, names: readonly string[]): T =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (!names.includes(String(name))) return (...args: unknown[]) => (dead ? never() : method(...args));
        return async (...args: unknown[]) => {
          if (dead) return never();
          calls += 1;
          const last = calls === n;
          const answer = await method(...args);
          if (last) dead = true;
          return dead ? never() : answer;
        };
      },
    });
  return {
    parts: {
      ...given,
      table: wrap(given.table, CALLS.table),
      queue: wrap(given.queue, CALLS.queue),
      timers: wrap(given.timers, CALLS.timers),
      blobs: wrap(given.blobs, CALLS.blobs),
      clock: {
        now: () => given.clock.now(),
        monotonic: () => given.clock.monotonic(),
        sleep: async (ms, signal) => {
          await given.clock.sleep(ms, signal);
          return dead ? never() : undefined;
        },
      },
    },
    calls: () => calls,
    isDead: () => dead,
  };
}
