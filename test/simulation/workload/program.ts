import type { Random } from '../kernel/random.ts';

/** A workflow as data: what it does is in its input, so that a reference interpreter can say what may come of it. */
export type Node =
  | StepNode
  | { readonly op: 'sleep'; readonly id: string; readonly ms: number }
  | { readonly op: 'seq'; readonly of: readonly Node[] }
  | {
      readonly op: 'parallel';
      readonly how: 'parallel' | 'map' | 'all';
      readonly collect: boolean;
      readonly of: readonly Node[];
    }
  | { readonly op: 'race'; readonly id: string; readonly how: 'race' | 'plain'; readonly of: readonly Node[] }
  | { readonly op: 'try'; readonly body: Node; readonly cleanup: Node | null }
  | {
      readonly op: 'child';
      readonly id: string;
      readonly version: string;
      readonly waits: boolean;
      readonly program: Node;
    }
  | { readonly op: 'loop'; readonly id: string; readonly times: number }
  | { readonly op: 'draw'; readonly id: string };

export interface StepNode {
  readonly op: 'step';
  readonly id: string;
  /** Attempts that throw before one succeeds. */
  readonly fails: number;
  readonly attempts: number;
  readonly takesMs: number;
  readonly timeoutMs: number | null;
  readonly bytes: number;
  readonly atMostOnce: boolean;
}

export const VERSIONS = ['1', '2'] as const;
const DAY = 86_400_000;
const OVERSIZED = 3 * 1024 * 1024;

/** Random programs of bounded size; every id is used once in a run. */
export class Programs {
  #ids = 0;
  #left = 0;

  constructor(private readonly random: Random) {}

  next(): Node {
    this.#ids = 0;
    this.#left = this.random.int(2, 7);
    const of: Node[] = [];
    if (this.random.chance(0.2)) of.push({ op: 'draw', id: this.#id() });
    while (this.#left > 0) of.push(this.#node(3));
    if (this.random.chance(0.08)) of.push(this.#failing());
    return { op: 'seq', of };
  }

  /** Bodies that take their time, so that those of several runs overlap. */
  slow(): Node {
    this.#ids = 0;
    const of = Array.from({ length: this.random.int(2, 4) }, () => ({
      ...this.#step(),
      takesMs: this.random.int(500, 8_000),
    }));
    return { op: 'seq', of };
  }

  #id(): string {
    return `n${this.#ids++}`;
  }

  #some(depth: number, atLeast: number, atMost: number): readonly Node[] {
    return Array.from({ length: this.random.int(atLeast, atMost) }, () => this.#node(depth));
  }

  #node(depth: number): Node {
    this.#left -= 1;
    const draw = this.random.next();
    if (depth === 0 || draw < 0.45) return this.#step();
    if (draw < 0.58) return { op: 'sleep', id: this.#id(), ms: this.#length() };
    if (draw < 0.7) {
      const how = this.random.pick(['parallel', 'map', 'all'] as const);
      return {
        op: 'parallel',
        how,
        collect: how !== 'all' && this.random.chance(0.3),
        of: this.#some(depth - 1, 1, 4),
      };
    }
    if (draw < 0.79) {
      const how = this.random.pick(['race', 'plain'] as const);
      return { op: 'race', id: this.#id(), how, of: this.#some(depth - 1, 1, 3) };
    }
    if (draw < 0.87) {
      const body: Node = { op: 'seq', of: [...this.#some(depth - 1, 0, 2), this.#failing()] };
      return { op: 'try', body, cleanup: this.random.chance(0.5) ? this.#step() : null };
    }
    if (draw < 0.97) return this.#child(depth);
    return {
      op: 'loop',
      id: this.#id(),
      times: this.random.chance(0.06) ? this.random.int(190, 230) : this.random.int(3, 15),
    };
  }

  #child(depth: number): Node {
    const [id, version] = [this.#id(), this.random.pick(VERSIONS)];
    const outer = [this.#ids, this.#left] as const;
    [this.#ids, this.#left] = [0, this.random.int(1, 3)];
    const of: Node[] = [];
    while (this.#left > 0) of.push(this.#node(Math.min(depth - 1, 1)));
    [this.#ids, this.#left] = outer;
    return { op: 'child', id, version, waits: this.random.chance(0.8), program: { op: 'seq', of } };
  }

  #step(): StepNode {
    const { random } = this;
    return {
      op: 'step',
      id: this.#id(),
      fails: random.chance(0.2) ? random.int(1, 2) : 0,
      attempts: 4,
      takesMs: random.chance(0.8)
        ? random.int(0, 50)
        : random.chance(0.9)
          ? random.int(50, 8_000)
          : random.int(8_000, 80_000),
      timeoutMs: null,
      bytes: random.chance(0.93)
        ? random.int(0, 100)
        : random.chance(0.8)
          ? random.int(100, 3_000)
          : random.int(3_000, 40_000),
      atMostOnce: random.chance(0.04),
    };
  }

  /** Never succeeds: by throwing, by taking too long, or with a result that nobody can store. */
  #failing(): StepNode {
    const { random } = this;
    const attempts = random.int(1, 3);
    if (random.chance(0.2))
      return { ...this.#step(), atMostOnce: false, fails: 0, attempts, takesMs: 600_000, timeoutMs: 2_000 };
    if (random.chance(0.01))
      return { ...this.#step(), atMostOnce: false, fails: 0, attempts, takesMs: 0, bytes: OVERSIZED };
    return { ...this.#step(), atMostOnce: false, fails: 99, attempts };
  }

  #length(): number {
    const { random } = this;
    const draw = random.next();
    if (draw < 0.1) return random.int(0, 10);
    if (draw < 0.4) return random.magnitude(10, 10_000);
    if (draw < 0.75) return random.magnitude(10_000, 1_200_000);
    return draw < 0.92 ? random.magnitude(1_200_000, DAY) : random.magnitude(DAY, 40 * DAY);
  }
}

/** How long the program sleeps at the most, its children included. */
export function longestSleepMs(node: Node): number {
  const all = (nodes: readonly Node[]): number => nodes.reduce((sum, each) => sum + longestSleepMs(each), 0);
  switch (node.op) {
    case 'sleep':
      return node.ms;
    case 'seq':
    case 'parallel':
    case 'race':
      return all(node.of);
    case 'try':
      return longestSleepMs(node.body) + (node.cleanup === null ? 0 : longestSleepMs(node.cleanup));
    case 'child':
      return longestSleepMs(node.program);
    case 'step':
    case 'loop':
    case 'draw':
      return 0;
  }
}
