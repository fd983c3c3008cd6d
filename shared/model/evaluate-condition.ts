import { PortError } from '../ports/port-error.ts';
import type { Condition, Item, Scalar, Value } from '../ports/table.ts';
import { compareBytes, compareUtf8 } from './utf8-order.ts';

type Comparison = Extract<Condition, { readonly value: Scalar }>['op'];

const attribute = (item: Item | null, name: string): Value | undefined =>
  item !== null && Object.hasOwn(item, name) ? item[name] : undefined;

/** Of two values of one ordered type; null where there is no order between them. */
function order(a: Value | undefined, b: Scalar): number | null {
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return null;
}

function equals(a: Value | undefined, b: Scalar): boolean {
  return a === b || order(a, b) === 0;
}

function compare(op: Comparison, a: Value | undefined, b: Scalar): boolean {
  if (op === '=') return equals(a, b);
  if (op === '<>') return !equals(a, b);
  const ordered = order(a, b);
  if (ordered === null) return false;
  switch (op) {
    case '<':
      return ordered < 0;
    case '<=':
      return ordered <= 0;
    case '>':
      return ordered > 0;
    case '>=':
      return ordered >= 0;
  }
}

export function evaluateCondition(condition: Condition, item: Item | null): boolean {
  switch (condition.op) {
    case 'exists':
      return attribute(item, condition.attr) !== undefined;
    case 'missing':
      return attribute(item, condition.attr) === undefined;
    case 'in': {
      const value = attribute(item, condition.attr);
      return condition.values.some((candidate) => equals(value, candidate));
    }
    case 'and':
      return condition.of.every((part) => evaluateCondition(part, item));
    case 'or':
      return condition.of.some((part) => evaluateCondition(part, item));
    case 'not':
      return !evaluateCondition(condition.of, item);
    default:
      return compare(condition.op, attribute(item, condition.attr), condition.value);
  }
}

const isOrdered = (value: Scalar): boolean => typeof value !== 'boolean' && value !== null;

/** Throws what DynamoDB refuses whatever the item: an order of booleans or nulls. */
export function checkCondition(condition: Condition): void {
  switch (condition.op) {
    case 'exists':
    case 'missing':
    case '=':
    case '<>':
    case 'in':
      return;
    case 'and':
    case 'or':
      for (const part of condition.of) checkCondition(part);
      return;
    case 'not':
      checkCondition(condition.of);
      return;
    default:
      if (!isOrdered(condition.value)) {
        throw new PortError('invalid', `'${condition.op}' does not order ${String(condition.value)}`);
      }
  }
}
