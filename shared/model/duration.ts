const UNITS = {
  ms: 1,
  millisecond: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  w: 604_800_000,
  week: 604_800_000,
  // A year of the calendar has no fixed length: this is 365 days, as its name in `1 year` suggests to most.
  y: 31_536_000_000,
  year: 31_536_000_000,
} as const;

type UnitName = keyof typeof UNITS | `${Exclude<keyof typeof UNITS, 'ms' | 's' | 'm' | 'h' | 'd' | 'w' | 'y'>}s`;
type Part = `${number}${UnitName}` | `${number} ${UnitName}`;
/** Milliseconds, or a text such as `30s`, `1 day`, `1h 30m`, `2 weeks`. A text that is computed needs a cast. */
export type Duration = number | Part | `${Part} ${string}`;

const PART = /(\d+(?:\.\d+)?)\s*([a-z]+)\s*,?\s*/gy;
/** Nothing is put off for longer. */
export const MAX_DURATION_MS = 100 * 366 * 86_400_000;

const BY_NAME = new Map<string, number>(Object.entries(UNITS));
const unitMs = (name: string): number | undefined => BY_NAME.get(name) ?? BY_NAME.get(name.replace(/s$/, ''));

function parseText(text: string): number | null {
  const given = text.trim().toLowerCase();
  let total = 0;
  let end = 0;
  for (const [part, amount = '', unit = ''] of given.matchAll(PART)) {
    const ms = unitMs(unit);
    if (ms === undefined) return null;
    total += Number(amount) * ms;
    end += part.length;
  }
  return end === given.length && end > 0 ? Math.round(total) : null;
}

/** Throws a RangeError that shows what was given. */
export function durationMs(duration: number | string): number {
  const ms =
    typeof duration === 'number' ? Math.ceil(duration) : typeof duration === 'string' ? parseText(duration) : null;
  if (ms === null || !(ms >= 0 && ms <= MAX_DURATION_MS)) {
    const given = typeof duration === 'string' ? JSON.stringify(duration) : String(duration);
    throw new RangeError(
      `${given} is no duration: give milliseconds, or a text such as "30s", "1h 30m" or "3 days", of at most 100 years`,
    );
  }
  return ms;
}
