import { describeCrashes } from './exhaust.ts';
import { DELAYED_START, RELEASE, RUN_RETRY, SLEEPS } from './scenarios.ts';

for (const scenario of [SLEEPS, DELAYED_START, RUN_RETRY, RELEASE]) describeCrashes(scenario);
