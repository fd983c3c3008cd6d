/**
 * Seconds of a worker that each part of the suite may take on two idle cores. Together with the install and the checks
 * they make ten minutes: whoever needs more for a part takes it from another.
 */
export const PART_BUDGETS: Readonly<Record<string, number>> = {
  simulation: 170,
  sdk: 110,
  bench: 80,
  crash: 75,
  cli: 65,
  chaos: 60,
  usecases: 60,
  console: 55,
  local: 55,
  stack: 55,
  'model-check': 50,
  package: 45,
  contract: 40,
};
/** For every part that is not named. */
export const OTHER_PARTS = 25;
