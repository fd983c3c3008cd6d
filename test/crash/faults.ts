/** What happens at one port call. */
export const FAULTS = [
  /** The process dies; the call was not applied. */
  'crash-before',
  /** The process dies; the call was applied. */
  'crash-after',
  'applied-unknown',
  'unavailable',
  'lost-unknown',
] as const;
/** The process stands still, and goes on when others have long taken over. */
export const PAUSES = ['pause-before', 'pause-after'] as const;

export type FaultKind = (typeof FAULTS)[number] | (typeof PAUSES)[number];

const MAX_CALLS = 20_000;

/** Counts the port calls of all processes and picks the one that suffers. */
export class Faults {
  /** Whoever the fault befell, and at what. */
  struck: string | null = null;
  #calls = 0;
  #armed = false;

  /** `at` counts from 1; null for a play in which nothing goes wrong. */
  constructor(
    private readonly at: number | null,
    readonly kind: FaultKind | null,
  ) {}

  get calls(): number {
    return this.#calls;
  }

  /** What is set up beforehand is spared. */
  arm(): void {
    this.#armed = true;
  }

  disarm(): void {
    this.#armed = false;
  }

  next(process: string, call: string): FaultKind | null {
    if (!this.#armed) return null;
    this.#calls += 1;
    if (this.#calls > MAX_CALLS) throw new Error(`more than ${MAX_CALLS} port calls: a hot loop at ${call}`);
    if (this.#calls !== this.at) return null;
    this.struck = `${call} of ${process}`;
    return this.kind;
  }
}
