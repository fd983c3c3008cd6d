import { describeFaults } from './exhaust.ts';
import { ASKED_FOR, FIRING, OVERLAPPING } from './schedule-scenarios.ts';

/** `npm run crash:schedules` sets 0: every kind of fault at every call. */
const EVERY = Number(process.env['KAGZI_CRASH_EVERY'] ?? 8);

for (const scenario of [...FIRING, ...OVERLAPPING, ...ASKED_FOR]) describeFaults(scenario, EVERY);
