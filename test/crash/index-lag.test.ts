import { describe } from 'vitest';
import { describeSetting } from './exhaust.ts';
import { LAGGING, lags } from './lagging.ts';
import { SCENARIOS } from './scenarios.ts';
import { memoryStore } from './store.ts';

describe('lagging indexes and two watchdogs', () => {
  for (const scenario of SCENARIOS) {
    describeSetting(scenario, { ...LAGGING, open: () => memoryStore(lags()), forgets: true }, 1);
  }
});
