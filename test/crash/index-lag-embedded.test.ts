import { describe } from 'vitest';
import { describeSetting } from './exhaust.ts';
import { LAGGING, lags } from './lagging.ts';
import { SCENARIOS } from './scenarios.ts';
import { embeddedStore } from './store.ts';

describe('lagging indexes and two watchdogs on the embedded adapters', () => {
  for (const scenario of SCENARIOS) {
    describeSetting(
      scenario,
      { ...LAGGING, open: () => embeddedStore(lags()), forgets: false },
      scenario.slow ? 11 : 5,
    );
  }
});
