import { type Duration, durationMs } from '../shared/model/duration.ts';
import { externalIdProblem, type NAMES, nameProblem } from '../shared/model/names.ts';
import { suggest } from './suggest.ts';

/** A call of the SDK that is wrong whenever it is made: it is refused at once, and trying again does not help. */
export class InvalidArgumentError extends TypeError {
  override readonly name: string = 'InvalidArgumentError';
  readonly code: string = 'INVALID_ARGUMENT';
  readonly nonRetryable = true;
}

/** Throws if the value cannot stand for the option. */
export type Check = (value: unknown) => void;
/** Every option that there is. */
export type Checks<O> = { readonly [K in keyof Required<O>]: Check };

/** A value in an error message: short, and told apart from the text around it. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  if (value instanceof Promise) return 'a promise';
  return Array.isArray(value) ? 'an array' : 'an object';
}

const wrong = (value: unknown, wanted: string): TypeError => new TypeError(`${shown(value)} is no ${wanted}`);

export const isText: Check = (value) => {
  if (typeof value !== 'string' || value === '') throw wrong(value, 'text');
};
const without = (problem: string | null): void => {
  if (problem !== null) throw new TypeError(problem);
};
export const isName =
  (of: keyof typeof NAMES): Check =>
  (value) =>
    without(typeof value === 'string' ? nameProblem(of, value) : `${shown(value)} is no text`);
export const isExternalId: Check = (value) =>
  without(typeof value === 'string' ? externalIdProblem(value) : `${shown(value)} is no text`);
export const isFlag: Check = (value) => {
  if (typeof value !== 'boolean') throw wrong(value, 'true or false');
};
export const isFunction: Check = (value) => {
  if (typeof value !== 'function') throw wrong(value, 'function');
};
export const isList: Check = (value) => {
  if (!Array.isArray(value)) throw wrong(value, 'array');
};
export const isRecord: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(value, 'object');
};
export const isTime: Check = (value) => {
  if (!(value instanceof Date)) throw wrong(value, 'Date');
  if (Number.isNaN(value.getTime())) throw new TypeError('this Date is no time');
};
export const isDuration: Check = (value) => void durationMs(value as Duration);
export const isWholeNumber =
  (least: number, most: number): Check =>
  (value) => {
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return;
    const to = Number.isFinite(most) ? ` to ${most}` : '';
    throw new RangeError(`${shown(value)} is not a whole number from ${least}${to}`);
  };
export const isOneOf =
  (names: readonly string[]): Check =>
  (value) => {
    if (typeof value === 'string' && names.includes(value)) return;
    const hint = typeof value === 'string' ? suggest(value, names) : '';
    throw new TypeError(`${shown(value)} is none of ${names.join(', ')}.${hint}`);
  };

/** Refuses names that mean nothing, with a hint at what may have been meant, and values that cannot be. */
export function checkNames(given: unknown, checks: Readonly<Record<string, Check>>): void {
  isRecord(given);
  for (const [name, value] of Object.entries(given as object)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      throw new TypeError(`there is no option ${shown(name)}.${suggest(name, Object.keys(checks))}`);
    }
    if (value !== undefined) named(name, () => check(value));
  }
}

/** Says what of something is wrong. */
export function named(name: string, check: () => void): void {
  try {
    check();
  } catch (cause) {
    throw new TypeError(`${name}: ${(cause as Error).message}`, { cause });
  }
}

/** Whatever the check throws is the fault of the call named. */
export function refuse<T>(what: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw new InvalidArgumentError(`${what}: ${(cause as Error).message}`);
  }
}

export function checkOptions(what: string, given: unknown, checks: Readonly<Record<string, Check>>): void {
  if (given !== undefined) refuse(what, () => checkNames(given, checks));
}
