import { isWellFormed } from '../shared/model/utf8-order.ts';

/**
 * Values as JSON text and back as what they were. Plain JSON stays plain, so that people and other languages can read
 * it; what JSON has no form for becomes an object with one reserved key, and an object that has that key is wrapped.
 */
const TAG = '$kagzi';
const MAX_DEPTH = 190;

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** Refused where it was to be stored: the message names the path to what cannot be. */
export class UnstorableError extends TypeError {
  override readonly name = 'UnstorableError';
  /** A later attempt would return the same. */
  readonly nonRetryable = true;
  constructor(
    readonly path: string,
    what: string,
  ) {
    super(`${path} cannot be stored: ${what}`);
  }
}

/** Undefined for undefined: nothing is stored then. `root` is what the path in an error begins with. */
export function encodeValue(value: unknown, root = 'value'): string | undefined {
  return value === undefined ? undefined : JSON.stringify(new Encoder().encode(value, root, 0));
}

export const decodeValue = (text: string | undefined): unknown =>
  text === undefined ? undefined : decode(JSON.parse(text) as Json);

const tagged = (tag: string, value?: Json): Json => (value === undefined ? { [TAG]: tag } : { [TAG]: tag, value });

/** Of an error; the rest is its own. */
const HIDDEN = ['name', 'message', 'stack', 'cause'] as const;
const isAggregate = (error: Error): error is AggregateError =>
  error instanceof AggregateError && Array.isArray(error.errors);

class Encoder {
  readonly #above = new Set<object>();

  encode(value: unknown, path: string, depth: number): Json {
    switch (typeof value) {
      case 'string':
        // JSON.stringify escapes a lone surrogate and JSON.parse gives it back.
        return value;
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : tagged('number', Object.is(value, -0) ? '-0' : String(value));
      case 'bigint':
        return tagged('bigint', String(value));
      case 'undefined':
        return tagged('undefined');
      case 'function':
      case 'symbol':
        throw new UnstorableError(path, `it is a ${typeof value}`);
      case 'object':
        return value === null ? null : this.#object(value, path, depth);
    }
  }

  #object(value: object, path: string, depth: number): Json {
    if (this.#above.has(value)) throw new UnstorableError(path, 'it contains itself');
    if (depth >= MAX_DEPTH) throw new UnstorableError(path, `it is nested more than ${MAX_DEPTH} levels deep`);
    this.#above.add(value);
    try {
      return this.#contents(value, path, depth + 1);
    } finally {
      this.#above.delete(value);
    }
  }

  #contents(value: object, path: string, depth: number): Json {
    if (Array.isArray(value)) return this.#array(value, path, depth);
    if (value instanceof Date) return tagged('date', Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString());
    if (value instanceof Map) {
      const entries = [...value].map(([key, entry], index) => [
        this.encode(key, `${path}.keys[${index}]`, depth),
        this.encode(entry, `${path}.get(${shown(key)})`, depth),
      ]);
      return tagged('map', entries);
    }
    if (value instanceof Set) return tagged('set', this.#array([...value], path, depth));
    if (value instanceof Uint8Array) return tagged('bytes', Buffer.from(value).toString('base64'));
    if (value instanceof ArrayBuffer) return tagged('buffer', Buffer.from(value).toString('base64'));
    if (value instanceof Error) return this.#error(value, path, depth);
    if (value instanceof URL) return tagged('url', value.href);
    if (value instanceof RegExp) return tagged('regexp', [value.source, value.flags]);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      throw new UnstorableError(path, `it is an instance of ${nameOf(value)}; return its data as a plain object`);
    const plain = this.#properties(value, path, depth);
    return Object.hasOwn(value, TAG) ? tagged('object', plain) : plain;
  }

  #array(values: readonly unknown[], path: string, depth: number): Json[] {
    return Array.from(values, (element, index) => this.encode(element, `${path}[${index}]`, depth));
  }

  #properties(value: object, path: string, depth: number, except: readonly string[] = []): Record<string, Json> {
    if (Object.getOwnPropertySymbols(value).length > 0)
      throw new UnstorableError(path, 'it has a key that is a symbol');
    const names = Object.keys(value).filter((name) => !except.includes(name));
    const entries = names.map((name) => {
      const inner = `${path}${/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`}`;
      if (!isWellFormed(name)) throw new UnstorableError(inner, 'its key is not well-formed Unicode');
      return [name, this.encode((value as Record<string, unknown>)[name], inner, depth)] as const;
    });
    return fromEntries(entries);
  }

  #error(error: Error, path: string, depth: number): Json {
    return tagged('error', {
      name: error.name,
      class: nameOf(error),
      message: error.message,
      stack: error.stack ?? null,
      ...('cause' in error ? { cause: this.encode(error.cause, `${path}.cause`, depth) } : {}),
      ...(isAggregate(error) ? { errors: this.#array(error.errors, `${path}.errors`, depth) } : {}),
      own: this.#properties(error, path, depth, [...HIDDEN, ...(isAggregate(error) ? ['errors'] : [])]),
    });
  }
}

/** An object's own way to become text may throw, or be missing. */
const shown = (key: unknown): string =>
  typeof key === 'string' ? JSON.stringify(key) : isObject(key) ? 'an object' : String(key);
const isObject = (value: unknown): boolean =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';
const nameOf = (value: object): string => (value.constructor as { name?: string } | undefined)?.name || 'a class';

/** `__proto__` is a key like any other. */
function fromEntries<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return define({}, entries);
}

function define<Target extends object>(target: Target, entries: readonly (readonly [string, unknown])[]): Target {
  for (const [name, value] of entries) {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return target;
}

function decode(json: Json): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(decode);
  const tag = Object.hasOwn(json, TAG) ? json[TAG] : undefined;
  return typeof tag === 'string' ? decodeTagged(tag, json['value']) : decodeProperties(json);
}

const decodeProperties = (json: { [name: string]: Json }): Record<string, unknown> =>
  fromEntries(Object.entries(json).map(([name, value]) => [name, decode(value)] as const));

function decodeTagged(tag: string, value: Json | undefined): unknown {
  const text = (): string => (typeof value === 'string' ? value : '');
  switch (tag) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(text());
    case 'bigint':
      return BigInt(text());
    case 'date':
      return new Date(text());
    case 'map':
      return new Map((value as [Json, Json][]).map(([key, entry]) => [decode(key), decode(entry)]));
    case 'set':
      return new Set((value as Json[]).map(decode));
    case 'bytes':
      return new Uint8Array(Buffer.from(text(), 'base64'));
    case 'buffer':
      return new Uint8Array(Buffer.from(text(), 'base64')).buffer;
    case 'url':
      return new URL(text());
    case 'regexp': {
      const [source = '', flags = ''] = value as string[];
      return new RegExp(source, flags);
    }
    case 'object':
      return decodeProperties(value as { [name: string]: Json });
    case 'error':
      return decodeError(value as unknown as StoredError);
    default:
      throw new TypeError(`a stored value has the unknown form ${JSON.stringify(tag)}; a newer SDK wrote it`);
  }
}

interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | null;
  readonly cause?: Json;
  readonly errors?: readonly Json[];
  readonly own: { [name: string]: Json };
}

const BUILT_IN: Readonly<Record<string, new (message: string) => Error>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

function decodeError(stored: StoredError): Error {
  const known = Object.hasOwn(BUILT_IN, stored.name) ? BUILT_IN[stored.name] : undefined;
  const error =
    stored.errors === undefined
      ? new (known ?? Error)(stored.message)
      : new AggregateError(stored.errors.map(decode), stored.message);
  const hide = (name: string, value: unknown): void => {
    Object.defineProperty(error, name, { value, enumerable: false, configurable: true, writable: true });
  };
  if (error.name !== stored.name) hide('name', stored.name);
  hide('stack', stored.stack ?? undefined);
  if (stored.cause !== undefined) hide('cause', decode(stored.cause));
  return define(error, Object.entries(decodeProperties(stored.own)));
}
