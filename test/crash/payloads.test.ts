import { describeCrashes } from './exhaust.ts';
import { LARGE_PAYLOADS } from './scenarios.ts';

describeCrashes(LARGE_PAYLOADS);
