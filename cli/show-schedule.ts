import { showLength, showTime } from './show-time.ts';
import { plain, textTable } from './text-table.ts';

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
  readonly overlap_policy: string;
  readonly max_catchup: number;
  readonly note: string | null;
  readonly pause_reason: string | null;
  readonly next_fire_at: string | null;
  readonly last_fired_at: string | null;
  readonly fired: number;
  readonly failed: number;
  readonly skipped: { readonly catchup: number; readonly overlap: number };
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

const times = ({ cron_expr, intervals }: WireSchedule): string =>
  [...cron_expr, ...intervals.map(({ every_ms }) => `every ${showLength(every_ms)}`)].join('; ');

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
    ['times', `${times(one)} (${one.timezone})`],
    ['overlap', one.overlap_policy],
    ['next', showTime(one.next_fire_at)],
    ['last', showTime(one.last_fired_at)],
    ['fired', String(one.fired)],
    ['skipped', `${one.skipped.catchup} missed, ${one.skipped.overlap} for overlap`],
    ['failed', one.failed === 0 ? null : String(one.failed)],
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
