import type { Scenario } from './scenario.ts';
import { ACCESS } from './scenarios/access.ts';
import { CALLS } from './scenarios/calls.ts';
import { DEAD_LETTERS } from './scenarios/dead-letters.ts';
import { DEATHS } from './scenarios/deaths.ts';
import { EVENTS } from './scenarios/events.ts';
import { FAILURES } from './scenarios/failures.ts';
import { RESTORE } from './scenarios/restore.ts';
import { RUNS } from './scenarios/runs.ts';
import { SCHEDULES } from './scenarios/schedules.ts';
import { SLEEPS } from './scenarios/sleeps.ts';
import { UPKEEP } from './scenarios/upkeep.ts';

/** In an order in which one leaves nothing behind that another would count. */
export const SCENARIOS: readonly Scenario[] = [
  ...ACCESS,
  ...RUNS,
  ...SLEEPS,
  ...CALLS,
  ...DEATHS,
  ...FAILURES,
  ...EVENTS,
  ...SCHEDULES,
  ...DEAD_LETTERS,
  ...UPKEEP,
  ...RESTORE,
];
