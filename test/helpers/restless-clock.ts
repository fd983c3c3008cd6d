import type { Clock } from '../../shared/ports/clock.ts';

/** The time of another clock, and pauses that take none: for retries that nobody needs to wait for. */
export const restless = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  sleep: () => Promise.resolve(),
});
