import type { Random } from '../kernel/random.ts';
import type { Role } from './actor.ts';

/** What may go wrong, and how often at the most: VERIFICATION's table. Each seed draws its own rates. */
export const FAULT_RATES = {
  /** A process dies at a call that was not applied. */
  'crash-before': 0.02,
  /** It dies at a call that was applied. */
  'crash-after': 0.02,
  /** Applied, but the caller saw a timeout. */
  ambiguous: 0.05,
  /** Not applied, and the caller saw a timeout. */
  lost: 0.05,
  /** Applied long after the caller saw a timeout and went on. */
  straggler: 0.01,
  throttled: 0.05,
  conflict: 0.05,
  /** A process stands still for 0.5 to 5 leases, and then goes on. */
  pause: 0.02,
  'message-duplicated': 0.2,
  'message-delayed': 0.1,
  'message-dead': 0.05,
  'timer-lost': 0.1,
  'timer-duplicated': 0.1,
  'timer-late': 0.1,
  'timer-after-cancel': 0.1,
  'index-lag': 0.3,
  'stale-read': 0.3,
  /** A clock that is up to 10 minutes wrong; up to 2 seconds are always. */
  'clock-skew': 0.05,
  'clock-step': 0.002,
  'request-lost': 0.03,
  'answer-lost': 0.03,
} as const;

export type FaultKind = keyof typeof FAULT_RATES;
export const FAULT_KINDS = Object.keys(FAULT_RATES) as FaultKind[];

/** What does not go wrong while all is calm; messages, timers, clocks and indexes never are. */
const STORMS: ReadonlySet<FaultKind> = new Set([
  'crash-before',
  'crash-after',
  'ambiguous',
  'lost',
  'straggler',
  'throttled',
  'conflict',
  'pause',
]);

export interface FaultLimits {
  /** Only these kinds; all if not given. */
  readonly only?: readonly FaultKind[] | undefined;
  /** No more than so many. */
  readonly max?: number | undefined;
}

/** One fault at one call, for those who try them all. */
export interface SingleFault {
  readonly at: number;
  readonly kind: FaultKind;
}

/** One fault by name: the n-th call of this name by processes of this role. It stays where it is when other calls come and go. */
export interface ScriptedFault {
  readonly kind: FaultKind;
  readonly call: string;
  readonly role: Role;
  readonly nth: number;
}

export interface CallSite {
  readonly call: string;
  readonly role: Role;
  readonly name: string;
}

const BURST_MS = 20_000;

/** Decides by chance what goes wrong where, and counts it. */
export class FaultPlan {
  readonly counts: Partial<Record<FaultKind, number>> = {};
  total = 0;
  /** Calls at which a fault could have struck. */
  calls = 0;
  struck: string | null = null;
  isCalm = false;
  #healed = false;
  #burstUntil = 0;
  readonly #made = new Map<string, number>();
  readonly #rates: Readonly<Record<FaultKind, number>>;

  constructor(
    private readonly random: Random,
    private readonly limits: FaultLimits,
    /** Instead of chance: one fault, those of a list, or none. */
    private readonly single: SingleFault | readonly ScriptedFault[] | null | undefined,
  ) {
    const rate = (max: number): number => (random.chance(0.12) ? 0 : max * (0.2 + 0.8 * random.next() ** 2));
    this.#rates = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, rate(FAULT_RATES[kind])])) as Record<
      FaultKind,
      number
    >;
  }

  get isHealed(): boolean {
    return this.#healed;
  }

  heal(): void {
    this.#healed = true;
  }

  /** Whether this goes wrong here. */
  strikes(kind: FaultKind): boolean {
    if (this.single !== undefined || this.#healed || this.total >= (this.limits.max ?? Number.POSITIVE_INFINITY)) {
      return false;
    }
    if (this.isCalm && STORMS.has(kind)) return false;
    const hit = this.random.chance(this.#rates[kind]);
    if (!hit || this.limits.only?.includes(kind) === false) return false;
    this.#count(kind);
    return true;
  }

  /** Of several that exclude each other, the first that strikes. */
  first(kinds: readonly FaultKind[], where: CallSite): FaultKind | null {
    this.calls += 1;
    if (this.single !== undefined) return this.#single(kinds, where);
    return kinds.find((kind) => this.strikes(kind)) ?? null;
  }

  /** Throttling comes in bursts, too. */
  isThrottled(now: number): boolean {
    if (this.#healed || this.single !== undefined) return false;
    if (now < this.#burstUntil && this.random.chance(0.5)) {
      this.#count('throttled');
      return true;
    }
    if (!this.strikes('throttled')) return false;
    if (this.random.chance(0.1)) this.#burstUntil = now + this.random.int(100, BURST_MS);
    return true;
  }

  #single(kinds: readonly FaultKind[], where: CallSite): FaultKind | null {
    const kind = this.#planned(where);
    if (kind === null) return null;
    this.struck = `${where.call} of ${where.name}`;
    if (!kinds.includes(kind)) return null;
    this.#count(kind);
    return kind;
  }

  #planned({ call, role }: CallSite): FaultKind | null {
    const { single } = this;
    if (single === null || single === undefined) return null;
    if ('kind' in single) return this.calls === single.at ? single.kind : null;
    const nth = (this.#made.get(`${role} ${call}`) ?? 0) + 1;
    this.#made.set(`${role} ${call}`, nth);
    return single.find((fault) => fault.call === call && fault.role === role && fault.nth === nth)?.kind ?? null;
  }

  #count(kind: FaultKind): void {
    this.total += 1;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }
}
