import { randomUUID } from 'node:crypto';
import { allPages } from './all-pages.ts';
import { printJson, type Terminal } from './command.ts';
import { CliError } from './exit-codes.ts';
import { readCount, readTime } from './read-values.ts';
import { type Given, scheduleChanges, scheduleFields } from './schedule-values.ts';
import { showFires, showSchedule, showSchedules, type WireFire, type WireSchedule } from './show-schedule.ts';
import { showTimeIn } from './show-time.ts';
import { unservedTypeHint } from './who-serves.ts';
import type { WirePage } from './wire.ts';

interface Action {
  readonly needsId: boolean;
  run(terminal: Terminal, id: string, values: Given): Promise<void>;
}

const path = (id: string): string => `/schedules/${encodeURIComponent(id)}`;
const text = (values: Given, name: string): string | undefined => values[name] as string | undefined;
const count = (values: Given, name: string): number | undefined => {
  const given = text(values, name);
  return given === undefined ? undefined : readCount(name, given, 0);
};

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

const OWN_TIMES = ['cron', 'every', 'offset', 'timezone', 'start', 'end'];

/** Of a schedule that is there, or of times that one would have. */
function nextCall(id: string, values: Given) {
  if (id !== '') {
    const own = OWN_TIMES.find((name) => values[name] !== undefined);
    if (own !== undefined) throw new CliError(`kagzi schedule next takes the id of a schedule or --${own}, not both.`);
    return { path: `${path(id)}/next`, query: { count: count(values, 'count') } };
  }
  const { cron_expr, intervals, timezone, start_at, end_at } = scheduleFields(values);
  if (cron_expr === undefined && intervals === undefined) {
    throw new CliError('kagzi schedule next needs the id of a schedule, or --cron or --every.');
  }
  return {
    path: '/schedules/preview',
    body: { cron_expr, intervals, timezone, start_at, end_at, count: count(values, 'count') },
  };
}

/** What can be done with schedules, by its name. */
export const SCHEDULE_ACTIONS: Readonly<Record<string, Action>> = {
  create: {
    needsId: false,
    async run(terminal, id, values) {
      if (values['type'] === undefined) throw new CliError('kagzi schedule create needs --type.');
      const enabled = values['paused'] === true ? false : undefined;
      const body = {
        ...scheduleFields(values),
        schedule_id: id === '' ? undefined : id,
        // So that a call whose answer was lost can be sent again.
        request_id: randomUUID(),
        enabled,
        pause_reason: values['reason'],
      };
      const api = terminal.connect();
      const made = await api.call<WireSchedule>({ path: '/schedules', body });
      say(terminal, made);
      const hint = terminal.json ? null : await unservedTypeHint(api, made);
      if (hint !== null) terminal.note(hint);
    },
  },
  get: {
    needsId: true,
    run: async (terminal, id) => say(terminal, await terminal.connect().call<WireSchedule>({ path: path(id) })),
  },
  list: {
    needsId: false,
    async run(terminal, id, values) {
      if (id !== '') throw new CliError(`kagzi schedule list takes no id: kagzi schedule get ${id} shows one.`);
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
      const changes = scheduleChanges(values);
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new CliError('There is nothing to change: kagzi help schedule lists the options of update.');
      }
      const body = { ...changes, revision: count(values, 'revision') };
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
    needsId: false,
    async run(terminal, id, values) {
      const api = terminal.connect();
      const answer = await api.call<{ fire_times: string[] }>(nextCall(id, values));
      if (terminal.json) {
        printJson(terminal, answer);
        return;
      }
      const one = id === '' ? null : await api.call<WireSchedule>({ path: path(id) });
      const zone = one?.timezone ?? text(values, 'timezone') ?? 'UTC';
      terminal.print(
        answer.fire_times.map((time) => showTimeIn(zone, time)).join('\n') || 'It does not fire any more.',
      );
      if (one?.status === 'PAUSED') terminal.note(`${id} is paused: it fires at none of them until it is resumed.`);
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
