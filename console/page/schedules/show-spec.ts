import type { Schedule } from '../wire.ts';
import { intervalText } from './schedule-draft.ts';

/** `0 9 * * 1-5; every 1h after 5m` */
export const showSpec = ({ cron_expr, intervals }: Pick<Schedule, 'cron_expr' | 'intervals'>): string =>
  [...cron_expr, ...intervals.map((interval) => `every ${intervalText(interval)}`)].join('; ');

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** `Mon 23 Nov 2026, 09:00:00 CET` */
export function showInZone(zone: string, at: string): string {
  let format = FORMATS.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'short',
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    });
    FORMATS.set(zone, format);
  }
  return format.format(new Date(at));
}

export const zonesHere = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];
