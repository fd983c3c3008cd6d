import type { Setting } from './exhaust.ts';

const MAX_LAG_MS = 20_000;

/** Each row of an index is late by another time, in no order. */
export function lags(): () => number {
  let seed = 1;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % MAX_LAG_MS;
  };
}

/** A recovery may wait for a late row a few times: worker, lease, dispatch. */
export const LAGGING: Omit<Setting, 'open' | 'forgets'> = { watchdogs: 2, slackMs: 4 * MAX_LAG_MS };
