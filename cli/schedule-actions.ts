import { randomUUID } from 'node:crypto';
import { allPages } from './all-pages.ts';
import { printJson, type Terminal } from './command.ts';
import { CliError } from './exit-codes.ts';
import { readDuration } from './read-duration.ts';
import { readInput } from './read-input.ts';
import { readCount, readTime } from './read-values.ts';
import { showFires, showSchedule, showSchedules, type WireFire, type WireSchedule } from './show-schedule.ts';
import { showTime } from './show-time.ts';
import type { WirePage } from './wire.ts';

type Given = Readonly<Record<string, string | boolean | undefined>>;

interface Action {
  readonly needsId: boolean;
  run(terminal: Terminal, id: string, values: Given): Promise<void>;
}

const path = (id: string): string => `/schedules/${encodeURIComponent(id)}`;
const text = (values: Given, name: string): string | undefined => values[name] as string | undefined;
const length = (values: Given, name: string): number | undefined => {
  const given = text(values, name);
  return given === undefined ? undefined : readDuration(name, given);
};
const count = (values: Given, name: string): number | undefined => {
  const given = text(values, name);
  return given === undefined ? undefined : readCount(name, given, 0);
};

function fields(values: Given): Readonly<Record<string, unknown>> {
  const every = length(values, 'every');
  if (every === undefined && values['offset'] !== undefined) throw new CliError('--offset needs --every.');
  const input = text(values, 'input');
  return {
    workflow_type: values['type'],
    task_queue: values['queue'],
    version: values['version'],
    cron_expr: text(values, 'cron')
      ?.split(';')
      .map((one) => one.trim()),
    intervals: every === undefined ? undefined : [{ every_ms: every, offset_ms: length(values, 'offset') ?? 0 }],
    timezone: values['timezone'],
    input: input === undefined ? undefined : readInput(input),
    overlap_policy: values['overlap'],
    max_catchup: count(values, 'max-catchup'),
    catchup_window_ms: length(values, 'catchup-window'),
    jitter_ms: length(values, 'jitter'),
    start_at: readTime('start', text(values, 'start')),
    end_at: readTime('end', text(values, 'end')),
    note: values['note'],
  };
}

function say(terminal: Terminal, schedule: WireSchedule): void {
  if (terminal.json) printJson(terminal, schedule);
  else terminal.print(showSchedule(schedule));
}

const posts = (call: string, bodyOf: (values: Given) => object): Action => ({
  needsId: true,
  async run(terminal, id, values) {
    const body = bodyOf(values);
    say(terminal, await terminal.connect().call<WireSchedule>({ method: 'POST', path: `${path(id)}/${call}`, body }));
  },
});

/** What can be done with schedules, by its name. */
export const SCHEDULE_ACTIONS: Readonly<Record<string, Action>> = {
  create: {
    needsId: false,
    async run(terminal, id, values) {
      if (values['type'] === undefined) throw new CliError('kagzi schedule create needs --type.');
      const enabled = values['paused'] === true ? false : undefined;
      const body = {
        ...fields(values),
        schedule_id: id === '' ? undefined : id,
        // So that a call whose answer was lost can be sent again.
        request_id: randomUUID(),
        enabled,
        pause_reason: values['reason'],
      };
      say(terminal, await terminal.connect().call<WireSchedule>({ path: '/schedules', body }));
    },
  },
  get: {
    needsId: true,
    run: async (terminal, id) => say(terminal, await terminal.connect().call<WireSchedule>({ path: path(id) })),
  },
  list: {
    needsId: false,
    async run(terminal, _id, values) {
      const query = { status: text(values, 'status')?.toUpperCase(), task_queue: text(values, 'queue') };
      const { rows, more } = await allPages(
        terminal.connect(),
        { path: '/schedules', query: { ...query, workflow_type: text(values, 'type') } },
        (page: WirePage & { readonly schedules: readonly WireSchedule[] }) => page.schedules,
        readCount('limit', text(values, 'limit') ?? '20', 1),
      );
      if (terminal.json) printJson(terminal, { schedules: rows, more });
      else terminal.print(rows.length === 0 ? 'No schedules.' : showSchedules(rows));
    },
  },
  update: {
    needsId: true,
    async run(terminal, id, values) {
      const body = { ...fields(values), revision: count(values, 'revision') };
      say(terminal, await terminal.connect().call<WireSchedule>({ method: 'PATCH', path: path(id), body }));
    },
  },
  pause: posts('pause', (values) => ({ reason: values['reason'] })),
  resume: {
    needsId: true,
    async run(terminal, id) {
      say(terminal, await terminal.connect().call<WireSchedule>({ method: 'POST', path: `${path(id)}/resume` }));
    },
  },
  trigger: {
    needsId: true,
    async run(terminal, id, values) {
      const body = { request_id: randomUUID(), overlap_policy: values['overlap'] };
      const answer = await terminal
        .connect()
        .call<{ outcome: string; run_id: string | null }>({ path: `${path(id)}/trigger`, body });
      if (terminal.json) printJson(terminal, answer);
      else terminal.print(`${answer.outcome}${answer.run_id === null ? '' : ` ${answer.run_id}`}`);
    },
  },
  backfill: {
    needsId: true,
    async run(terminal, id, values) {
      const [from, to] = [readTime('from', text(values, 'from')), readTime('to', text(values, 'to'))];
      if (from === undefined || to === undefined) throw new CliError('kagzi schedule backfill needs --from and --to.');
      const body = { from, to, overlap_policy: values['overlap'] };
      const answer = await terminal.connect().call<{ fires: number }>({ path: `${path(id)}/backfill`, body });
      if (terminal.json) printJson(terminal, answer);
      else terminal.print(`${answer.fires} times; those that have a run already keep it.`);
    },
  },
  next: {
    needsId: true,
    async run(terminal, id, values) {
      const query = { count: count(values, 'count') };
      const answer = await terminal.connect().call<{ fire_times: string[] }>({ path: `${path(id)}/next`, query });
      if (terminal.json) printJson(terminal, answer);
      else terminal.print(answer.fire_times.map(showTime).join('\n') || 'It does not fire any more.');
    },
  },
  history: {
    needsId: true,
    async run(terminal, id, values) {
      const { rows } = await allPages(
        terminal.connect(),
        { path: `${path(id)}/history` },
        (page: WirePage & { readonly fires: readonly WireFire[] }) => page.fires,
        readCount('limit', text(values, 'limit') ?? '20', 1),
      );
      if (terminal.json) printJson(terminal, { fires: rows });
      else terminal.print(rows.length === 0 ? 'It has not fired.' : showFires(rows));
    },
  },
  delete: {
    needsId: true,
    async run(terminal, id) {
      await terminal.connect().call<void>({ method: 'DELETE', path: path(id) });
      if (terminal.json) printJson(terminal, { deleted: id });
      else terminal.print(`Deleted ${id}; the runs that it started stay.`);
    },
  },
};
