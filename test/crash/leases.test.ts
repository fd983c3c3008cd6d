import { describeCrashes } from './exhaust.ts';
import { DIRECT, HEARTBEATS } from './scenarios.ts';

for (const scenario of [DIRECT, HEARTBEATS]) describeCrashes(scenario);
