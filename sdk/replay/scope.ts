import { InvalidArgumentError } from '../check-options.ts';

/** Ids are told apart by doubling the marks of scopes and occurrences inside them. */
const escaped = (id: string): string => id.replaceAll('#', '##').replaceAll('/', '//');
const MAX_KEY = 200;

/** Names the steps asked for in one place of the program: by id, and by how often that id was asked for there. */
export class Scope {
  readonly #seen = new Map<string, number>();

  constructor(
    private readonly prefix: string = '',
    /** The group of parallel branches that this is one of. */
    readonly group: string | null = null,
  ) {}

  key(id: string): string {
    const key = this.prefix + this.#occurrence(escaped(id));
    if (key.length > MAX_KEY) {
      throw new InvalidArgumentError(
        `The step id "${key.slice(0, 60)}…" is longer than ${MAX_KEY} characters, scopes included.`,
      );
    }
    return key;
  }

  /** A group of branches of this scope, and the scopes of its branches. */
  branches(id: string): (branch: string | number) => Scope {
    const group = this.prefix + this.#occurrence(`${escaped(id)}()`);
    return (branch) => new Scope(`${group}/${escaped(String(branch))}/`, group);
  }

  #occurrence(name: string): string {
    const count = (this.#seen.get(name) ?? 0) + 1;
    this.#seen.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  }
}

/** Throws what is wrong with it. */
export function requireId(id: unknown): void {
  if (typeof id !== 'string' || id === '') throw new TypeError('it needs an id, a text that is not empty');
  if (id === '.' || id === '..') throw new TypeError(`the id "${id}" cannot stand in a URL`);
  if (id.startsWith('$')) throw new TypeError(`the id "${id}" begins with $, which is kept for the engine`);
  if (/[\p{Cc}\p{Cs}]/u.test(id)) throw new TypeError('an id has no control characters and no lone surrogates');
}
