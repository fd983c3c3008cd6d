import { describeCrashes } from './exhaust.ts';
import { CHILD, CHILD_CANCELLED } from './scenarios.ts';

for (const scenario of [CHILD, CHILD_CANCELLED]) describeCrashes(scenario);
