import { readable } from './readable.ts';
import { showTime, showTimeIn, showWholeLength } from './show-time.ts';
import { plain, shorten, textTable } from './text-table.ts';

export interface WireSchedule {
  readonly schedule_id: string;
  readonly status: string;
  readonly revision: number;
  readonly workflow_type: string;
  readonly version: string;
  readonly task_queue: string;
  readonly cron_expr: readonly string[];
  readonly intervals: readonly { readonly every_ms: number; readonly offset_ms: number }[];
  readonly timezone: string;
  readonly start_at: string | null;
  readonly end_at: string | null;
  readonly jitter_ms: number;
  readonly catchup_window_ms: number;
  readonly overlap_policy: string;
  readonly max_catchup: number;
  readonly note: string | null;
  readonly pause_reason: string | null;
  readonly next_fire_at: string | null;
  readonly last_fired_at: string | null;
  readonly fired: number;
  readonly failed: number;
  readonly skipped: {
    readonly catchup: number;
    readonly overlap: number;
    readonly last: { readonly count: number; readonly from: string; readonly to: string } | null;
  };
  readonly last_error: { readonly fire_at: string; readonly message: string } | null;
  readonly running: { readonly run_id: string } | null;
  readonly buffered: readonly unknown[];
  readonly backfills: readonly { readonly done_until: string; readonly to: string }[];
  readonly input?: unknown;
}

export type WireFire =
  | {
      readonly what: 'fire';
      readonly kind: string;
      readonly fire_at: string;
      readonly run_id: string | null;
      readonly run_status: string | null;
      readonly error: string | null;
    }
  | {
      readonly what: 'skip';
      readonly reason: string;
      readonly count: number;
      readonly from: string;
      readonly to: string;
    };

const interval = ({ every_ms, offset_ms }: WireSchedule['intervals'][number]): string =>
  `every ${showWholeLength(every_ms)}${offset_ms === 0 ? '' : `, offset ${showWholeLength(offset_ms)}`}`;

const times = ({ cron_expr, intervals, timezone }: WireSchedule): string => {
  const zone = cron_expr.length === 0 ? '' : ` (${timezone})`;
  return `${[...cron_expr, ...intervals.map(interval)].join('; ')}${zone}`;
};

const skips = ({ catchup, overlap, last }: WireSchedule['skipped']): string =>
  [
    `${catchup} missed, ${overlap} for overlap`,
    ...(last === null ? [] : [`the last ${last.count} from ${showTime(last.from)} to ${showTime(last.to)}`]),
  ].join('; ');

export const showSchedules = (schedules: readonly WireSchedule[]): string =>
  textTable(schedules, [
    { title: 'SCHEDULE', of: (one) => one.schedule_id },
    { title: 'WORKFLOW', of: (one) => one.workflow_type },
    { title: 'STATUS', of: (one) => one.status },
    { title: 'TIMES', of: times },
    { title: 'NEXT', of: (one) => showTime(one.next_fire_at) },
    { title: 'LAST', of: (one) => showTime(one.last_fired_at) },
  ]);

export function showSchedule(one: WireSchedule): string {
  const rows: readonly (readonly [string, string | null])[] = [
    ['schedule', one.schedule_id],
    ['status', one.pause_reason === null ? one.status : `${one.status}: ${one.pause_reason}`],
    ['workflow', `${one.workflow_type} ${one.version} on ${one.task_queue}`],
    ['times', times(one)],
    ['from', one.start_at && showTime(one.start_at)],
    ['until', one.end_at && showTime(one.end_at)],
    ['jitter', one.jitter_ms === 0 ? null : `up to ${showWholeLength(one.jitter_ms)}`],
    ['overlap', one.overlap_policy],
    ['catch-up', `the newest ${one.max_catchup} of the last ${showWholeLength(one.catchup_window_ms)}`],
    ['input', one.input === undefined ? null : shorten(JSON.stringify(readable(one.input)), 200)],
    [
      'next',
      one.next_fire_at === null && one.status === 'SCHEDULED'
        ? 'never again'
        : showTimeIn(one.timezone, one.next_fire_at),
    ],
    ['last', showTime(one.last_fired_at)],
    ['fired', String(one.fired)],
    ['skipped', skips(one.skipped)],
    [
      'failed',
      one.last_error && `${one.failed}, the last at ${showTime(one.last_error.fire_at)}: ${one.last_error.message}`,
    ],
    ['running', one.running?.run_id ?? null],
    ['waiting', one.buffered.length === 0 ? null : `${one.buffered.length} for the end of that run`],
    ['backfill', one.backfills.map(({ to }) => `until ${showTime(to)}`).join('; ')],
    ['revision', String(one.revision)],
    ['note', one.note],
  ];
  return rows.flatMap(([name, value]) => (value ? [`${name.padEnd(9)} ${plain(value)}`] : [])).join('\n');
}

export const showFires = (fires: readonly WireFire[]): string =>
  textTable(fires, [
    { title: 'TIME', of: (one) => showTime(one.what === 'fire' ? one.fire_at : one.to) },
    { title: 'KIND', of: (one) => (one.what === 'fire' ? one.kind : `skipped (${one.reason})`) },
    {
      title: 'RUN',
      of: (one) => (one.what === 'fire' ? (one.run_id ?? '') : `${one.count} since ${showTime(one.from)}`),
    },
    { title: 'STATUS', of: (one) => (one.what === 'fire' ? (one.error ?? one.run_status ?? 'gone') : '') },
  ]);
