const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `850 ms`, `2.4 s`, `3 min 20 s`, `5 h 12 min`, `3 d 4 h` */
export function showLength(ms: number): string {
  if (ms < 0) return showLength(0);
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return twoParts(ms, MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return twoParts(ms, HOUR, 'h', MINUTE, 'min');
  return twoParts(ms, DAY, 'd', HOUR, 'h');
}

function twoParts(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms % large) / small);
  return rest === 0 ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`;
}

const UNITS = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
] as const;

/** `just now`, `7 min ago`. What seems to lie ahead is the clock of the browser's, which is a little late. */
export function showAge(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (ms < 2 * SECOND) return 'just now';
  const [unit, name] = UNITS.find(([length]) => ms >= length) ?? [SECOND, 's'];
  return `${Math.floor(ms / unit)} ${name} ago`;
}

/** `in 12 s`, `in 2 d 23 h`, and `now` for what is due. */
export function showAhead(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  return ms < SECOND ? 'now' : `in ${ms < MINUTE ? `${Math.floor(ms / SECOND)} s` : showLength(ms)}`;
}

const FULL = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
/** In the zone of the browser. */
export const showTime = (at: string): string => FULL.format(new Date(at));
