import type { Value } from '../ports/table.ts';
import { FORMAT } from './keys.ts';

type Attributes = Readonly<Record<string, Value>>;

/** A stored item that this version cannot read: damaged, or written by a newer one. */
export class UnreadableItemError extends Error {
  override readonly name = 'UnreadableItemError';
}

/** Reads attributes of a stored item by name and type. `what` names the item in the error. */
export class AttributeReader {
  constructor(
    private readonly what: string,
    private readonly item: Attributes,
  ) {
    const { v } = item;
    if (v !== FORMAT) this.#refuse(`has format ${JSON.stringify(v)}; this version reads ${FORMAT}`);
  }

  has(name: string): boolean {
    return this.item[name] !== undefined;
  }

  value(name: string): Value | undefined {
    return this.item[name];
  }

  text(name: string): string {
    return this.textOrNull(name) ?? this.#refuse(`lacks ${name}`);
  }

  textOrNull(name: string): string | null {
    const value = this.item[name];
    if (value === undefined) return null;
    return typeof value === 'string' ? value : this.#refuse(`has a ${name} that is no text`);
  }

  number(name: string, fallback?: number): number {
    return this.numberOrNull(name) ?? fallback ?? this.#refuse(`lacks ${name}`);
  }

  numberOrNull(name: string): number | null {
    const value = this.item[name];
    if (value === undefined) return null;
    return typeof value === 'number' ? value : this.#refuse(`has a ${name} that is no number`);
  }

  list(name: string): readonly Value[] {
    const value = this.item[name];
    if (value === undefined) return [];
    return Array.isArray(value) ? (value as readonly Value[]) : this.#refuse(`has a ${name} that is no list`);
  }

  bytes(name: string): Uint8Array | null {
    const value = this.item[name];
    if (value === undefined) return null;
    return value instanceof Uint8Array ? value : this.#refuse(`has a ${name} that is no bytes`);
  }

  json<T>(name: string): T | null {
    const text = this.textOrNull(name);
    if (text === null) return null;
    try {
      return JSON.parse(text) as T;
    } catch {
      return this.#refuse(`has a ${name} that is no JSON`);
    }
  }

  oneOf<const T extends string>(name: string, choices: readonly T[]): T {
    const text = this.text(name);
    return choices.find((choice) => choice === text) ?? this.#refuse(`has an unknown ${name}: ${text}`);
  }

  #refuse(problem: string): never {
    throw new UnreadableItemError(`${this.what} ${problem}`);
  }
}
