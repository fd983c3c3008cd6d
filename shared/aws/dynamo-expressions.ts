import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Changes, Condition, Scalar, Value } from '../ports/table.ts';
import { toAttribute, toWireName } from './dynamo-values.ts';

/** DynamoDB takes at most this many values in one IN. */
const MAX_IN = 100;

/** The placeholders of one request. A name or a scalar that is used twice gets one placeholder. */
export class Placeholders {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, AttributeValue> = {};
  readonly #scalars = new Map<string, string>();
  #count = 0;

  name(attribute: string): string {
    let placeholder = this.#names.get(attribute);
    if (placeholder === undefined) {
      placeholder = `#${this.#names.size}`;
      this.#names.set(attribute, placeholder);
    }
    return placeholder;
  }

  value(value: Value): string {
    const identity = typeof value === 'object' && value !== null ? null : `${typeof value}:${value}`;
    const known = identity === null ? undefined : this.#scalars.get(identity);
    if (known !== undefined) return known;
    const placeholder = `:${this.#count++}`;
    this.#values[placeholder] = toAttribute(value);
    if (identity !== null) this.#scalars.set(identity, placeholder);
    return placeholder;
  }

  /** DynamoDB refuses empty maps here. */
  request(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, AttributeValue>;
  } {
    const names: Record<string, string> = {};
    for (const [attribute, placeholder] of this.#names) names[placeholder] = toWireName(attribute);
    return {
      ...(this.#names.size > 0 && { ExpressionAttributeNames: names }),
      ...(this.#count > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }
}

/** undefined when the condition is always true: there is nothing to send. */
export function compileCondition(condition: Condition, placeholders: Placeholders): string | undefined {
  const simplified = simplify(condition);
  if (simplified === true) return undefined;
  if (simplified === false) {
    // Not on a key attribute: a filter may not name one.
    const name = placeholders.name('_');
    return `attribute_exists(${name}) AND attribute_not_exists(${name})`;
  }
  return emit(simplified, placeholders);
}

/** Empty lists have no expression in DynamoDB: they are decided here, and everything they decide with them. */
function simplify(condition: Condition): Condition | boolean {
  switch (condition.op) {
    case 'and':
    case 'or': {
      const deciding = condition.op === 'or';
      const parts: Condition[] = [];
      for (const part of condition.of) {
        const simplified = simplify(part);
        if (simplified === deciding) return deciding;
        if (typeof simplified !== 'boolean') parts.push(simplified);
      }
      const [only] = parts;
      if (only === undefined) return !deciding;
      return parts.length === 1 ? only : { op: condition.op, of: parts };
    }
    case 'not': {
      const simplified = simplify(condition.of);
      return typeof simplified === 'boolean' ? !simplified : { op: 'not', of: simplified };
    }
    case 'in':
      return condition.values.length === 0 ? false : splitIn(condition.attr, condition.values);
    default:
      return condition;
  }
}

function splitIn(attr: string, values: readonly Scalar[]): Condition {
  if (values.length <= MAX_IN) return { op: 'in', attr, values };
  const of: Condition[] = [];
  for (let at = 0; at < values.length; at += MAX_IN) {
    of.push({ op: 'in', attr, values: values.slice(at, at + MAX_IN) });
  }
  return { op: 'or', of };
}

function emit(condition: Condition, placeholders: Placeholders): string {
  switch (condition.op) {
    case 'exists':
      return `attribute_exists(${placeholders.name(condition.attr)})`;
    case 'missing':
      return `attribute_not_exists(${placeholders.name(condition.attr)})`;
    case 'in': {
      const values = condition.values.map((value) => placeholders.value(value));
      return `${placeholders.name(condition.attr)} IN (${values.join()})`;
    }
    case 'and':
    case 'or':
      return condition.of.map((part) => emitOperand(part, placeholders)).join(` ${condition.op.toUpperCase()} `);
    case 'not':
      return `NOT ${emitOperand(condition.of, placeholders)}`;
    default:
      return `${placeholders.name(condition.attr)} ${condition.op} ${placeholders.value(condition.value)}`;
  }
}

/** DynamoDB refuses redundant parentheses: only compound operands get them. */
function emitOperand(condition: Condition, placeholders: Placeholders): string {
  const text = emit(condition, placeholders);
  return condition.op === 'and' || condition.op === 'or' || condition.op === 'not' ? `(${text})` : text;
}

/** undefined when nothing changes. */
export function compileChanges(changes: Changes, placeholders: Placeholders): string | undefined {
  const sets: string[] = [];
  for (const [attr, value] of Object.entries(changes.set ?? {})) {
    sets.push(`${placeholders.name(attr)} = ${placeholders.value(value)}`);
  }
  for (const [attr, value] of Object.entries(changes.setIfMissing ?? {})) {
    const name = placeholders.name(attr);
    sets.push(`${name} = if_not_exists(${name},${placeholders.value(value)})`);
  }
  const adds = Object.entries(changes.add ?? {}).map(
    ([attr, value]) => `${placeholders.name(attr)} ${placeholders.value(value)}`,
  );
  const removes = (changes.remove ?? []).map((attr) => placeholders.name(attr));
  const clauses: string[] = [];
  if (sets.length > 0) clauses.push(`SET ${sets.join()}`);
  if (adds.length > 0) clauses.push(`ADD ${adds.join()}`);
  if (removes.length > 0) clauses.push(`REMOVE ${removes.join()}`);
  return clauses.length > 0 ? clauses.join(' ') : undefined;
}
