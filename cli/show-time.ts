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

/** A length that somebody chose, with nothing left out: `1h`, `1h 30m`, `1d 1s`. */
export function showWholeLength(ms: number): string {
  const parts = [
    [Math.floor(ms / DAY), 'd'],
    [Math.floor((ms % DAY) / HOUR), 'h'],
    [Math.floor((ms % HOUR) / MINUTE), 'm'],
    [(ms % MINUTE) / 1_000, 's'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, unit]) => `${count}${unit}`)
      .join(' ') || '0s'
  );
}

/** To the second, in UTC as everywhere. */
export const showTime = (time: string | null): string =>
  time === null ? '' : `${time.slice(0, 19).replace('T', ' ')}Z`;

/** And what clocks show in a zone, if that is another time. */
export function showTimeIn(zone: string, time: string | null): string {
  const utc = showTime(time);
  const local = time === null ? null : localTime(zone, new Date(time));
  return local === null || utc === `${local}Z` ? utc : `${utc} (${local} ${zone})`;
}

function localTime(zone: string, time: Date): string | null {
  try {
    // Of Sweden, because dates are written there as they are here.
    return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(time);
  } catch {
    // The engine may know zones that are not known here.
    return null;
  }
}

export const between = (from: string, to: string | null, now: number): number =>
  (to === null ? now : Date.parse(to)) - Date.parse(from);
