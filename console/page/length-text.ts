const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** `1h30m`, exactly; it is what `parseLength` reads. */
export function lengthText(ms: number): string {
  let left = ms;
  const parts = UNITS.map(([name, unit]) => {
    const whole = Math.floor(left / unit);
    left -= whole * unit;
    return whole === 0 ? '' : `${whole}${name}`;
  });
  return parts.join('') || '0';
}

/** Whole milliseconds of `90s`, `5m`, `5 min`, `1h 30m`, `7d` or `0`; null for anything else. */
export function parseLength(text: string): number | null {
  const given = text.trim().replaceAll('min', 'm');
  if (given === '0') return 0;
  if (!/^(\d+(\.\d+)?\s*(d|h|ms|m|s)\s*)+$/.test(given)) return null;
  const parts = [...given.matchAll(/([\d.]+)\s*(d|h|ms|m|s)/g)];
  const unitOf = (name: string | undefined): number => UNITS.find(([unit]) => unit === name)?.[1] ?? Number.NaN;
  return Math.round(parts.reduce((sum, [, count, name]) => sum + Number(count) * unitOf(name), 0));
}
