import { describeCrashes } from './exhaust.ts';
import { PACKED } from './scenarios.ts';

describeCrashes(PACKED);
