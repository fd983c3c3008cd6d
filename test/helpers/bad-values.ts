/** A request that must be refused with 400. The body may be raw text, for what JSON.stringify cannot write. */
export interface BadRequest {
  readonly why: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body?: unknown;
  readonly text?: string;
}

const LONE = '\ud800';
export const long = (length: number): string => 'x'.repeat(length);

/** Texts no id may be. */
export const BAD_TEXTS: readonly (readonly [string, unknown])[] = [
  ['empty', ''],
  ['with NUL', 'a\0b'],
  ['with a newline', 'a\nb'],
  ['with a lone surrogate', LONE],
  ['too long', long(257)],
  ['a number', 1],
  ['null', null],
  ['a list', ['a']],
];
export const BAD_NAMES: readonly (readonly [string, unknown])[] = [
  ...BAD_TEXTS,
  ['with #', 'a#b'],
  ['with %', 'a%b'],
  ['with a space', 'a b'],
  ['with a trailing newline', 'a\n'],
  ['__proto__', '__proto__'],
  ['not ASCII', 'é'],
];
export const BAD_INSTANTS = [
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-01-01T25:00:00Z',
  'tomorrow',
  '+292278-01-01T00:00:00Z',
  1_800_000_000_000,
  null,
];
export const BAD_LENGTHS = [-1, 0.5, '5', null, 1e300, 100 * 367 * 86_400_000, true];
export const BAD_COUNTS = [-1, 0.5, '1', null, 1e10];
export const BAD_POLICIES = [
  'exponential',
  null,
  [],
  { kind: 'linear' },
  { kind: 'fixed' },
  { kind: 'none', maximum_attempts: 1 },
  { maximum_attempts: 0 },
  { maximum_attempts: 1.5 },
  { maximum_attempts: 10_001 },
  { backoff_coefficient: 0.5 },
  { initial_interval_ms: -1 },
  { jitter: 'yes' },
  { extra: 1 },
];

export const each = (field: string, values: readonly (readonly [string, unknown])[]) =>
  values.map(([why, value]) => ({ why: `${field} is ${why}`, field, value }));
export const shown = (field: string, values: readonly unknown[]) =>
  values.map((value) => ({ why: `${field} is ${JSON.stringify(value)}`, field, value }));
