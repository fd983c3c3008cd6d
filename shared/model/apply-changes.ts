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

/** The item after an update; a missing one is created with its key. */
export function applyChanges(key: Key, current: Item | null, changes: Changes): Item {
  // Without a prototype, `__proto__` is an attribute like any other.
  const next = Object.assign(Object.create(null) as Record<string, Value>, current ?? { pk: key.pk, sk: key.sk });
  const { set = {}, setIfMissing = {}, add = {}, remove = [] } = changes;
  for (const name of Object.keys(set)) next[name] = set[name] as Value;
  for (const name of Object.keys(setIfMissing)) {
    if (next[name] === undefined) next[name] = setIfMissing[name] as Value;
  }
  for (const name of Object.keys(add)) next[name] = sum(name, next[name], add[name] as number);
  for (const name of remove) delete next[name];
  return { ...next } as Item;
}
