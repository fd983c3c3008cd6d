import { FAILURE_LIMITS } from '../../shared/model/failure.ts';
import { encodeValue } from '../values.ts';

/** What a trimmed error may keep: together, and with what JSON adds, they fit where they are stored. */
const TRIMMED = { message: 2_048, stack: 4_096, property: 1_024, properties: 3_072, causes: 2, errors: 5 } as const;
const BARE_MESSAGE = 256;

/**
 * The whole error, so that it can be rebuilt. One that is too long or has parts that cannot be stored (sockets,
 * functions) loses those, but not its class: that and its code are what the workflow looks for.
 */
export function encodeError(error: Error): string | null {
  for (const form of [(): Error => error, () => trimmed(error, TRIMMED.causes), () => bare(error)]) {
    const text = tryEncode(form);
    if (text !== undefined && text.length <= FAILURE_LIMITS.details) return text;
  }
  return null;
}

function tryEncode(make: () => unknown): string | undefined {
  try {
    return encodeValue(make());
  } catch {
    return undefined;
  }
}

/** The deeper, the shorter. */
function trimmed(error: Error, causes: number): Error {
  const share = 4 ** (TRIMMED.causes - causes);
  const { name, message, stack } = error;
  const parts: Record<string, unknown> = {
    name,
    message: cut(message, TRIMMED.message / share),
    stack: stack === undefined ? undefined : cut(stack, TRIMMED.stack / share),
  };
  const inner = (value: unknown): unknown => (value instanceof Error ? trimmed(value, causes - 1) : value);
  if ('cause' in error && causes > 0 && isSmall(() => inner(error.cause))) parts['cause'] = inner(error.cause);
  if (error instanceof AggregateError && causes > 0 && Array.isArray(error.errors)) {
    parts['errors'] = error.errors
      .slice(0, TRIMMED.errors)
      .map(inner)
      .filter((one) => isSmall(() => one));
  }
  return Object.assign(withHidden(error, parts), smallProperties(error));
}

const isSmall = (make: () => unknown): boolean => (lengthOf(make) ?? Infinity) <= TRIMMED.stack;

/** Undefined if it cannot be stored. */
const lengthOf = (make: () => unknown): number | undefined => tryEncode(() => [make()])?.length;

function smallProperties(error: Error): Readonly<Record<string, unknown>> {
  const kept: [string, unknown][] = [];
  let room: number = TRIMMED.properties;
  for (const name of Object.keys(error)) {
    if (['name', 'message', 'stack', 'cause', 'errors', '__proto__'].includes(name)) continue;
    const value = () => (error as unknown as Record<string, unknown>)[name];
    const length = lengthOf(value);
    if (length === undefined || length > Math.min(room, TRIMMED.property)) continue;
    kept.push([name, value()]);
    room -= length;
  }
  return Object.fromEntries(kept);
}

function bare(error: Error): Error {
  const { code } = error as { readonly code?: unknown };
  const kept = typeof code === 'string' || typeof code === 'number' ? { code: cut(String(code), 128) } : {};
  const parts = { name: error.name, message: cut(error.message, BARE_MESSAGE), stack: undefined };
  return Object.assign(withHidden(error, parts), kept);
}

/** Of the same class, without running its constructor. */
function withHidden(error: Error, parts: Readonly<Record<string, unknown>>): Error {
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Error;
  for (const [name, value] of Object.entries(parts)) {
    Object.defineProperty(copy, name, { value, configurable: true, writable: true, enumerable: false });
  }
  return copy;
}

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);
