import { PortError } from '../ports/port-error.ts';
import type { Changes, Item, Key, Value } from '../ports/table.ts';
import { addDecimal } from './add-decimal.ts';
import { checkNumber } from './check-item.ts';

/** Throws what DynamoDB refuses whatever the item: a changed key, an attribute named twice. */
export function checkChanges(changes: Changes): void {
  const names = [
    ...Object.keys(changes.set ?? {}),
    ...Object.keys(changes.setIfMissing ?? {}),
    ...Object.keys(changes.add ?? {}),
    ...(changes.remove ?? []),
  ];
  if (new Set(names).size !== names.length) throw new PortError('invalid', 'an attribute is changed twice');
  for (const name of names) {
    if (name === 'pk' || name === 'sk') throw new PortError('invalid', `${name} is part of the key`);
    if (name === '') throw new PortError('invalid', 'an attribute name must not be empty');
  }
}

function sum(name: string, current: Value | undefined, amount: number): number {
  checkNumber(name, amount);
  if (current === undefined) return amount;
  if (typeof current !== 'number') throw new PortError('invalid', `${name} is not a number to add to`);
  const total = addDecimal(current, amount);
  checkNumber(name, total);
  return total;
}

const attribute = (item: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(item, name) ? item[name] : undefined;

/** The item after an update; a missing one is created with its key. */
export function applyChanges(key: Key, current: Item | null, changes: Changes): Item {
  const before: Readonly<Record<string, Value>> = current ?? { pk: key.pk, sk: key.sk };
  const { set = {}, setIfMissing = {}, add = {}, remove = [] } = changes;
  // Without a prototype, `__proto__` is an attribute like any other; but such an object is ten times as slow.
  const isOdd = [before, set, setIfMissing, add].some((part) => Object.hasOwn(part, '__proto__'));
  const next: Record<string, Value> = isOdd ? Object.create(null) : {};
  // Left out rather than deleted, which would make the object a slow one, too.
  for (const name in before) if (!remove.includes(name)) next[name] = before[name] as Value;
  for (const name in set) next[name] = set[name] as Value;
  for (const name in setIfMissing) if (!Object.hasOwn(next, name)) next[name] = setIfMissing[name] as Value;
  for (const name in add) next[name] = sum(name, attribute(next, name), add[name] as number);
  return (isOdd ? { ...next } : next) as Item;
}
