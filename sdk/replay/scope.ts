import { TEXT } from '../../shared/model/names.ts';
import { InvalidArgumentError, shown } from '../check-options.ts';

/** The marks of scopes and occurrences stand for themselves in keys, so ids that have them spell them otherwise. */
const MARKS: Readonly<Record<string, string>> = { '~': '~0', '/': '~1', '#': '~2' };
const escaped = (id: string): string => id.replace(/[~/#]/g, (mark) => MARKS[mark] ?? mark);
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
    requireId(id);
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
    requireId(id, 'id of a map');
    const group = this.prefix + this.#occurrence(`${escaped(id)}()`);
    return (branch) => {
      requireText('branch name', String(branch));
      return new Scope(`${group}/${escaped(String(branch))}/`, group);
    };
  }

  #occurrence(name: string): string {
    const count = (this.#seen.get(name) ?? 0) + 1;
    this.#seen.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  }
}

export function requireId(id: unknown, what = 'step id'): void {
  requireText(what, id);
  if (id === '.' || id === '..') throw refused(what, id, 'it cannot stand in a URL');
  if ((id as string).startsWith('$')) throw refused(what, id, 'what begins with $ is kept for the engine');
}

function requireText(what: string, text: unknown): void {
  if (typeof text !== 'string' || text === '') throw refused(what, text, 'give a text that is not empty');
  if (!TEXT.test(text)) throw refused(what, text, 'it has control characters or lone surrogates');
}

const refused = (what: string, given: unknown, why: string): InvalidArgumentError =>
  new InvalidArgumentError(`${shown(given)} is no ${what}: ${why}`);
