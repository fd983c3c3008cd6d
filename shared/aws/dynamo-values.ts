import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isWellFormed } from '../model/utf8-order.ts';
import { PortError } from '../ports/port-error.ts';
import type { Item, Key, Value } from '../ports/table.ts';

export type Attributes = Record<string, AttributeValue>;

const NULL: AttributeValue = { NULL: true };
const TRUE: AttributeValue = { BOOL: true };
const FALSE: AttributeValue = { BOOL: false };

export function toAttribute(value: Value): AttributeValue {
  switch (typeof value) {
    case 'string':
      // The SDK would send something else in its place.
      if (!isWellFormed(value)) throw new PortError('invalid', 'a string is not well-formed Unicode');
      return { S: value };
    case 'number':
      return { N: toNumber(value) };
    case 'boolean':
      return value ? TRUE : FALSE;
    case 'object':
      if (value === null) return NULL;
      if (value instanceof Uint8Array) return { B: value };
      if (Array.isArray(value)) return { L: value.map(toAttribute) };
      return { M: toAttributes(value as { readonly [name: string]: Value }) };
    default:
      throw new PortError('invalid', `a ${typeof value} cannot be stored`);
  }
}

export function toAttributes(values: { readonly [name: string]: Value }): Attributes {
  const out: Attributes = {};
  for (const name of Object.keys(values)) out[toWireName(name)] = toAttribute(values[name] as Value);
  return out;
}

export function fromAttribute(attribute: AttributeValue): Value {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.NULL !== undefined) return null;
  if (attribute.B !== undefined) return attribute.B;
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.M !== undefined) return fromAttributes(attribute.M);
  throw new PortError('invalid', `an attribute of type ${Object.keys(attribute).join()} cannot be read`);
}

function fromAttributes(attributes: Attributes): { readonly [name: string]: Value } {
  const out: Record<string, Value> = {};
  for (const name of Object.keys(attributes))
    setOwn(out, fromWireName(name), fromAttribute(attributes[name] as AttributeValue));
  return out;
}

export function toItem(attributes: Attributes): Item {
  return fromAttributes(attributes) as Item;
}

export function toKey(key: Key): Attributes {
  return { pk: toAttribute(key.pk), sk: toAttribute(key.sk) };
}

/** Plain assignment to `__proto__` would set the prototype and lose the value. */
function setOwn<T>(target: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** The SDK loses or chokes on `__proto__` in what it reads: such a name travels, and is stored, with a mark before it. */
export function toWireName(name: string): string {
  return name.endsWith('__proto__') && /^~*__proto__$/.test(name) ? `~${name}` : name;
}

function fromWireName(name: string): string {
  return name.endsWith('__proto__') && /^~+__proto__$/.test(name) ? name.slice(1) : name;
}

function toNumber(value: number): string {
  if (!Number.isFinite(value)) throw new PortError('invalid', `${value} cannot be stored`);
  return Object.is(value, -0) ? '0' : String(value);
}
