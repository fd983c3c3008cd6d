/**
 * Seconds of a worker that each part of the suite may take on two idle cores. Together with the install and the checks
 * they make ten minutes: whoever needs more for a part takes it from another.
 */
export const PART_BUDGETS: Readonly<Record<string, number>> = {
  simulation: 200,
  crash: 150,
  sdk: 110,
  stack: 100,
  usecases: 60,
  console: 60,
  contract: 50,
  chaos: 60,
  cli: 50,
  local: 50,
  api: 40,
  infra: 30,
  fuzz: 25,
  'model-check': 60,
};
/** For every part that is not named. */
export const OTHER_PARTS = 30;
