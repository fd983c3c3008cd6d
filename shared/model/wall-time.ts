import type { CronFields } from './cron-expression.ts';

const DAY_MS = 86_400_000;
/** The rarest date there is, a 29 February on a given weekday, comes again within 40 years. */
const HORIZON_MS = 45 * 366 * DAY_MS;

/** The first wall-clock time from this one on that fits; null if none ever does. Wall clocks are told as if they were UTC. */
export function nextWallTime(fields: CronFields, from: number): number | null {
  let day = Math.floor(from / DAY_MS) * DAY_MS;
  const today = fitsDay(fields, day) ? nextTimeOfDay(fields, from - day) : null;
  if (today !== null) return day + today;
  const first = nextTimeOfDay(fields, 0);
  if (first === null) return null;
  do {
    day += DAY_MS;
    const date = new Date(day);
    if (!fields.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      // It may fit itself: the next turn looks at it.
      day -= DAY_MS;
    } else if (fitsDay(fields, day)) return day + first;
  } while (day - from < HORIZON_MS);
  return null;
}

/** As everywhere: if both the day of the month and the day of the week are restricted, either suffices. */
function fitsDay(fields: CronFields, day: number): boolean {
  const date = new Date(day);
  if (!fields.months.has(date.getUTCMonth() + 1)) return false;
  if (fields.everyDayOfMonth) return fields.everyDayOfWeek || fitsDayOfWeek(fields, date);
  return fitsDayOfMonth(fields, date) || (!fields.everyDayOfWeek && fitsDayOfWeek(fields, date));
}

const daysInMonth = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

const fitsDayOfMonth = (fields: CronFields, date: Date): boolean =>
  fields.daysOfMonth.has(date.getUTCDate()) || (fields.lastDayOfMonth && date.getUTCDate() === daysInMonth(date));

function fitsDayOfWeek(fields: CronFields, date: Date): boolean {
  const weekday = date.getUTCDay();
  if (fields.daysOfWeek.has(weekday)) return true;
  return fields.weekdaysOfMonth.some(({ day, nth }) => {
    if (day !== weekday) return false;
    if (nth === 0) return date.getUTCDate() + 7 > daysInMonth(date);
    return Math.ceil(date.getUTCDate() / 7) === nth;
  });
}

/** Milliseconds since midnight; null if the day has none left. */
function nextTimeOfDay({ hours, minutes, seconds }: CronFields, from: number): number | null {
  const second = Math.ceil(from / 1000);
  for (const hour of hours) {
    if ((hour + 1) * 3600 <= second) continue;
    for (const minute of minutes) {
      const start = hour * 3600 + minute * 60;
      if (start + 60 <= second) continue;
      for (const one of seconds) if (start + one >= second) return (start + one) * 1000;
    }
  }
  return null;
}
