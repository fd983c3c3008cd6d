/** What an engine of this version can do, wherever it runs. */
export const FEATURES = [
  'runs',
  'steps',
  'sleep',
  'workers',
  'children',
  'dead-letters',
  'drain',
  'export',
  'schedules',
] as const;
