import type { Command } from './command.ts';
import { cancel } from './commands/cancel.ts';
import { consoleCommand } from './commands/console.ts';
import { deadLetters } from './commands/dead-letters.ts';
import { dev } from './commands/dev.ts';
import { exportRun } from './commands/export.ts';
import { get } from './commands/get.ts';
import { health } from './commands/health.ts';
import { list } from './commands/list.ts';
import { replay } from './commands/replay.ts';
import { result } from './commands/result.ts';
import { schedule } from './commands/schedule.ts';
import { start } from './commands/start.ts';
import { steps } from './commands/steps.ts';
import { workers } from './commands/workers.ts';

/** Everything there is, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  dev,
  consoleCommand,
  start,
  result,
  get,
  steps,
  list,
  cancel,
  schedule,
  exportRun,
  replay,
  workers,
  deadLetters,
  health,
];
