import { describeCrashes } from './exhaust.ts';
import { FINAL_FAILURE, STEP_RETRIES, TWO_STEPS } from './scenarios.ts';

for (const scenario of [TWO_STEPS, STEP_RETRIES, FINAL_FAILURE]) describeCrashes(scenario);
