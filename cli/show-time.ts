const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time for people: `250ms`, `1.5s`, `3m 20s`, `2d 4h`. */
export function showLength(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < MINUTE) return `${(ms / 1_000).toFixed(1)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${Math.floor((ms % MINUTE) / 1_000)}s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h ${Math.floor((ms % HOUR) / MINUTE)}m`;
  return `${Math.floor(ms / DAY)}d ${Math.floor((ms % DAY) / HOUR)}h`;
}

/** To the second, in UTC as everywhere. */
export const showTime = (time: string | null): string =>
  time === null ? '' : `${time.slice(0, 19).replace('T', ' ')}Z`;

export const between = (from: string, to: string | null, now: number): number =>
  (to === null ? now : Date.parse(to)) - Date.parse(from);
