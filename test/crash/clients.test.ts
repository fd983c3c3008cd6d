import { describeCrashes } from './exhaust.ts';
import { CANCEL, DELETE, SAME_EXTERNAL_ID } from './scenarios.ts';

for (const scenario of [CANCEL, DELETE, SAME_EXTERNAL_ID]) describeCrashes(scenario);
