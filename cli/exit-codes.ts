/** What scripts can rely on; `kagzi help` prints it. */
export const EXIT = {
  ok: 0,
  failed: 1,
  notFound: 2,
  unreachable: 3,
  runFailed: 4,
  runCancelled: 5,
  timedOut: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done; a run that was waited for is COMPLETED',
  1: 'wrong usage, or the engine refused',
  2: 'no such run, schedule, worker or dead letter',
  3: 'the engine does not answer',
  4: 'the run that was waited for FAILED',
  5: 'the run that was waited for was CANCELLED',
  6: 'waiting took longer than --timeout',
};

const CODES: Readonly<Record<ExitCode, string>> = {
  0: 'OK',
  1: 'FAILED',
  2: 'NOT_FOUND',
  3: 'UNREACHABLE',
  4: 'RUN_FAILED',
  5: 'RUN_CANCELLED',
  6: 'TIMED_OUT',
};

/** A message for the person at the terminal, and how to leave. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }

  get code(): string {
    return CODES[this.exitCode];
  }
}
