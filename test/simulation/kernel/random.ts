/** A stream of chance: the same seed and name always give the same numbers (xorshift128). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number, name: string) {
    let hash = (seed ^ 0x9e3779b9) >>> 0;
    const mix = (value: number): number => {
      hash = Math.imul(hash ^ value, 0x85ebca6b) >>> 0;
      hash = (hash ^ (hash >>> 13)) >>> 0;
      return hash;
    };
    for (let i = 0; i < name.length; i++) mix(name.charCodeAt(i));
    [this.#a, this.#b, this.#c, this.#d] = [mix(1) | 1, mix(2), mix(3), mix(4)];
    for (let i = 0; i < 8; i++) this.next();
  }

  /** In [0, 1). */
  next(): number {
    const t = this.#a ^ (this.#a << 11);
    this.#a = this.#b;
    this.#b = this.#c;
    this.#c = this.#d;
    this.#d = (this.#d ^ (this.#d >>> 19) ^ t ^ (t >>> 8)) >>> 0;
    return this.#d / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number in [from, to]. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(all: readonly T[]): T {
    return all[this.int(0, all.length - 1)] as T;
  }

  /** Between the two, each order of magnitude as likely as the next. */
  magnitude(from: number, to: number): number {
    return Math.round(from * (to / from) ** this.next());
  }
}
