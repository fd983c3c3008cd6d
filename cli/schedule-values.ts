import { CliError } from './exit-codes.ts';
import { readDuration } from './read-duration.ts';
import { readInput } from './read-input.ts';
import { readCount, readTime } from './read-values.ts';

export type Given = Readonly<Record<string, string | boolean | undefined>>;

const NONE = 'none';
const text = (values: Given, name: string): string | undefined => values[name] as string | undefined;

function read<T>(values: Given, name: string, how: (given: string) => T): T | undefined {
  const given = text(values, name);
  return given === undefined ? undefined : how(given);
}

const length = (values: Given, name: string): number | undefined =>
  read(values, name, (given) => readDuration(name, given));

function intervals(values: Given) {
  const every = length(values, 'every');
  if (every === undefined && values['offset'] !== undefined) throw new CliError('--offset needs --every.');
  return every === undefined ? undefined : [{ every_ms: every, offset_ms: length(values, 'offset') ?? 0 }];
}

/** Attempts, or a policy as the API has it. */
function retryPolicy(given: string): unknown {
  return /^\d+$/.test(given) ? { maximum_attempts: readCount('retry', given, 1) } : readJson('retry', given);
}

function readJson(option: string, given: string): unknown {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    throw new CliError(`--${option}: ${JSON.stringify(given)} is neither a number of attempts nor JSON.`);
  }
}

/** The parts of a schedule that the options name, as the API has them. */
export const scheduleFields = (values: Given) => ({
  workflow_type: values['type'],
  task_queue: values['queue'],
  version: values['version'],
  cron_expr: read(values, 'cron', (given) => given.split(';').map((one) => one.trim())),
  intervals: intervals(values),
  timezone: values['timezone'],
  input: read(values, 'input', readInput),
  retry_policy: read(values, 'retry', retryPolicy),
  overlap_policy: values['overlap'],
  max_catchup: read(values, 'max-catchup', (given) => readCount('max-catchup', given, 0)),
  catchup_window_ms: length(values, 'catchup-window'),
  jitter_ms: length(values, 'jitter'),
  start_at: readTime('start', text(values, 'start')),
  end_at: readTime('end', text(values, 'end')),
  note: values['note'],
});

const TAKEN_AWAY: Readonly<Record<string, readonly [field: string, without: unknown]>> = {
  cron: ['cron_expr', []],
  every: ['intervals', []],
  input: ['input', null],
  retry: ['retry_policy', null],
  start: ['start_at', null],
  end: ['end_at', null],
  note: ['note', null],
};

/** As `scheduleFields`; `none` takes a part away. */
export function scheduleChanges(values: Given): Readonly<Record<string, unknown>> {
  const away = Object.entries(TAKEN_AWAY).filter(([name]) => values[name] === NONE);
  const rest = { ...values, ...Object.fromEntries(away.map(([name]) => [name, undefined])) };
  return { ...scheduleFields(rest), ...Object.fromEntries(away.map(([, part]) => part)) };
}
