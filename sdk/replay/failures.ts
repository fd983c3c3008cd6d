import { type Failure, failure } from '../../shared/model/failure.ts';
import type { ErrorClass } from '../context.ts';
import * as own from '../errors.ts';
import { decodeValue, UnstorableError } from '../values.ts';
import { encodeError } from './encode-error.ts';

const OWN_CLASSES: readonly ErrorClass[] = [
  own.NonRetryableError,
  own.RetryAfterError,
  own.StepFailedError,
  own.StepTimeoutError,
  own.StepInterruptedError,
  own.ChildFailedError,
  own.CancelledError,
  own.NonDeterminismError,
  own.RunTimeoutError,
  UnstorableError,
];
const BUILT_IN: readonly ErrorClass[] = [
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  AggregateError,
];

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
/** What is thrown need not be an error: an object keeps its message and its other properties. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  if (typeof thrown === 'string') return new Error(thrown);
  if (!isObject(thrown)) return new Error(`thrown: ${String(thrown)}`);
  const { message, stack: _stack, ...own } = thrown;
  return Object.assign(new Error(typeof message === 'string' ? message : `thrown: ${jsonOf(thrown)}`), own);
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** As it is stored: short enough to read, with the whole error behind it so that it can be rebuilt. */
export function toFailure(thrown: unknown, nonRetryable: boolean): Failure {
  const error = asError(thrown);
  const { code } = error as { readonly code?: unknown };
  return failure({
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : nameOf(error),
    message: error.message,
    nonRetryable,
    stack: error.stack ?? null,
    details: encodeError(error),
  });
}

const hidden = (values: Record<string, unknown>): PropertyDescriptorMap =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      { value, configurable: true, writable: true, enumerable: false },
    ]),
  );

const enumerable = (error: Error): PropertyDescriptorMap =>
  Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(error)).filter(([, descriptor]) => descriptor.enumerable === true),
  );

const nameOf = (error: Error): string => (error.name === 'Error' ? error.constructor.name : error.name);

/** Errors that a step, or a child, has failed with for good: thrown on, they are not tried again by the run's policy. */
const final = new WeakSet<object>();
export const isFinalFailure = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && final.has(error);

export function fromFailure(stored: Failure, stepId: string, classes: readonly ErrorClass[]): Error {
  const error = rebuild(stored, stepId, classes);
  final.add(error);
  return error;
}

/** What a workflow catches, on the first run and on replay alike: of its own class where that is known here. */
function rebuild(stored: Failure, stepId: string, classes: readonly ErrorClass[]): Error {
  const original = decodeOriginal(stored);
  const known = original === null ? undefined : classNamed(original.names, [...classes, ...OWN_CLASSES, ...BUILT_IN]);
  if (original === null || known === undefined) {
    const cause = original?.error ?? Object.assign(new Error(stored.message), { code: stored.code });
    return new own.StepFailedError(stored.message, stepId, { code: stored.code, cause });
  }
  const { error } = original;
  const rebuilt = Object.create(known.prototype as object) as Error;
  const { name, message, stack, cause } = error;
  const hasOwnName = name !== (known.prototype as Error).name;
  Object.defineProperties(
    rebuilt,
    hidden({
      message,
      stack,
      ...(hasOwnName ? { name } : {}),
      ...('cause' in error ? { cause } : {}),
      ...(error instanceof AggregateError ? { errors: error.errors } : {}),
    }),
  );
  // Not by assignment: a property called __proto__ would change the class.
  return Object.defineProperties(rebuilt, enumerable(error));
}

function decodeOriginal(stored: Failure): { readonly error: Error; readonly names: readonly string[] } | null {
  if (stored.details === null) return null;
  try {
    const error = decodeValue(stored.details);
    if (!(error instanceof Error)) return null;
    const { value } = JSON.parse(stored.details) as {
      readonly value?: { readonly name?: string; readonly class?: string };
    };
    return { error, names: [value?.class, value?.name].filter((name) => name !== undefined) };
  } catch {
    // Details that a worker of another language reported: the code and the message are all there is.
    return null;
  }
}

const classNamed = (names: readonly string[], classes: readonly ErrorClass[]): ErrorClass | undefined =>
  names
    .filter((name, index) => name !== 'Error' || index === 0)
    .map((name) => classes.find((candidate) => candidate.name === name))
    .find((found) => found !== undefined);
