/** Reads one variable, or throws what is wrong with it. Without a schema library: it would be a sixth of a bundle. */
export type ReadVariable<Value> = (text: string) => Value;

class Problem extends Error {}

/** Throws, if it does not hold, what is wrong with a variable. */
export function demand(holds: boolean, problem: string): void {
  if (!holds) throw new Problem(problem);
}

export const matching =
  (pattern: RegExp, problem: string): ReadVariable<string> =>
  (text) => {
    demand(pattern.test(text), problem);
    return text;
  };

export const oneOf =
  <Name extends string>(names: readonly Name[]): ReadVariable<Name> =>
  (text) => {
    const found = names.find((name) => name === text);
    demand(found !== undefined, `is none of ${names.join(', ')}`);
    return found as Name;
  };

export const whole =
  (min: number, max: number, unit = 1): ReadVariable<number> =>
  (text) => {
    demand(/^\d{1,9}$/.test(text), 'is no whole number');
    demand(Number(text) >= min && Number(text) <= max, `is not within ${min} and ${max}`);
    return Number(text) * unit;
  };

/** An empty variable counts as not set. Every problem is noted, so that all can be told at once. */
export class Variables {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #problems: string[] = [];
  readonly #asked = new Set<string>();

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Those that are set, and that nobody has read. */
  get unknown(): readonly string[] {
    return Object.keys(this.#env).filter((name) => !this.#asked.has(name));
  }

  note(name: string, problem: string): void {
    this.#problems.push(`${name}: ${problem}`);
  }

  /** What is wrong is noted, and the fallback answered for what cannot be used. */
  read<Value>(name: string, read: ReadVariable<Value>, fallback: Value): Value {
    this.#asked.add(name);
    const text = this.#env[name] ?? '';
    if (text === '') return fallback;
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.note(name, error.message);
      return fallback;
    }
  }

  require<Value>(name: string, read: ReadVariable<Value>, fallback: Value): Value {
    if ((this.#env[name] ?? '') === '') this.note(name, 'is required');
    return this.read(name, read, fallback);
  }
}
