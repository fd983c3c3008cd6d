import { defineCommand, type Option, type Options } from '../command.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { SCHEDULE_ACTIONS } from '../schedule-actions.ts';
import type { Given } from '../schedule-values.ts';

const USAGE = `Usage: kagzi schedule ${Object.keys(SCHEDULE_ACTIONS).join('|')} [id]`;

/** The help of each begins with the actions that it belongs to. */
const OPTIONS = {
  type: { type: 'string', value: 'TYPE', help: 'create, update, list: workflow type' },
  cron: { type: 'string', value: 'EXPR', help: 'create, update, next: "0 9 * * MON-FRI"; several are separated by ;' },
  every: { type: 'string', value: 'TIME', help: 'create, update, next: an interval such as 15m' },
  offset: { type: 'string', value: 'TIME', help: 'create, update, next: how long after multiples of --every' },
  timezone: { type: 'string', value: 'ZONE', help: 'create, update, next: such as Europe/Berlin; UTC if not given' },
  input: { type: 'string', short: 'i', value: 'JSON', help: 'create, update: the input of its runs' },
  retry: {
    type: 'string',
    value: 'N|JSON',
    help: 'create, update: attempts of its runs, or {"maximum_attempts": 5, "initial_interval_ms": 1000, …}',
  },
  queue: { type: 'string', value: 'NAME', help: 'create, update, list: task queue' },
  version: { type: 'string', value: 'V', help: 'create, update: version of the workflow' },
  overlap: {
    type: 'string',
    value: 'POLICY',
    help: 'create, update, trigger, backfill: allow_all, skip, buffer_one, buffer_all or cancel_other',
  },
  'max-catchup': {
    type: 'string',
    value: 'N',
    help: 'create, update: missed fires to make after an outage, 100 if not given',
  },
  'catchup-window': { type: 'string', value: 'TIME', help: 'create, update: what was missed longer ago is not made' },
  jitter: { type: 'string', value: 'TIME', help: 'create, update: spread fires by up to this' },
  start: { type: 'string', value: 'TIME', help: 'create, update, next: not before this time' },
  end: { type: 'string', value: 'TIME', help: 'create, update, next: not after this time' },
  note: { type: 'string', value: 'TEXT', help: 'create, update: for people' },
  paused: { type: 'boolean', help: 'create: it does not fire until it is resumed' },
  reason: { type: 'string', value: 'TEXT', help: 'create, pause: why' },
  revision: { type: 'string', value: 'N', help: 'update: refused if it is at another one by now' },
  from: { type: 'string', value: 'TIME', help: 'backfill: the first time' },
  to: { type: 'string', value: 'TIME', help: 'backfill: the last time' },
  count: { type: 'string', value: 'N', help: 'next: 10 if not given, 100 at most' },
  status: { type: 'string', value: 'STATUS', help: 'list: SCHEDULED or PAUSED' },
  limit: { type: 'string', value: 'N', help: 'list, history: 20 if not given' },
} as const satisfies Options;

const actionsOf = ({ help }: Option): readonly string[] => help.slice(0, help.indexOf(':')).split(', ');

/** What would be passed over in silence: a trigger, for one, takes no input of its own. */
function refuseOthersOptions(action: string, values: Given): void {
  for (const [name, option] of Object.entries<Option>(OPTIONS)) {
    const actions = actionsOf(option);
    if (values[name] !== undefined && !actions.includes(action)) {
      throw new CliError(`--${name} means nothing to kagzi schedule ${action}, only to ${actions.join(', ')}.`);
    }
  }
}

export const schedule = defineCommand({
  name: 'schedule',
  args: ['<action>', '[id]'],
  summary: 'Make, look at, change, fire and remove schedules',
  options: OPTIONS,
  notes: [
    USAGE,
    '',
    'Times and lengths: 2026-01-31 (its midnight, UTC), 2026-01-31T09:00:00Z; 30s, 15m, "1h 30m", "3 days".',
    'update changes what is named; --cron, --every, --input, --retry, --start, --end or --note none takes it away.',
    'next without an id says when --cron or --every would fire. Runs of a schedule: kagzi list --schedule ID.',
    '',
    'Examples:',
    '  kagzi schedule create nightly --type report --cron "0 2 * * *" --timezone Europe/Berlin --overlap skip',
    '  kagzi schedule create poll --type check --every 30s --max-catchup 0',
    '  kagzi schedule backfill nightly --from 2026-01-01 --to 2026-02-01',
  ],
  async run(terminal, [action = '', id], values) {
    const act = Object.hasOwn(SCHEDULE_ACTIONS, action) ? SCHEDULE_ACTIONS[action] : undefined;
    if (act === undefined) throw new CliError(`There is no action ${JSON.stringify(action)}.\n${USAGE}`);
    if (act.needsId && id === undefined) throw new CliError(`kagzi schedule ${action} needs the id of a schedule.`);
    refuseOthersOptions(action, values);
    await act.run(terminal, id ?? '', values);
    return EXIT.ok;
  },
});
