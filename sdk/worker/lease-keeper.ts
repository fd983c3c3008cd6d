import type { Engine } from '../../shared/store/engine.ts';

interface Kept {
  dueAt: number;
  isHeld: boolean;
  readonly renew: () => Promise<void>;
}

/** Why the wait for the next renewal ends: nobody wants one any more. */
const NOBODY_HELD = Symbol('no run is held');
/** Timers are no finer. */
const SOON_MS = 1;

/** Renews the leases of all the runs that one process holds, three times a lease each, by one timer for all. */
class LeaseKeeper {
  /** Soonest first: whoever comes, or comes back from its renewal, is due after all the others. */
  readonly #kept = new Set<Kept>();
  #waiting: AbortController | null = null;

  constructor(private readonly engine: Engine) {}

  /** Answers how to let it go. `renew` must not throw. */
  keep(renew: () => Promise<void>): () => void {
    const kept: Kept = { dueAt: 0, isHeld: true, renew };
    this.#add(kept);
    return () => {
      kept.isHeld = false;
      this.#kept.delete(kept);
      if (this.#kept.size === 0) this.#waiting?.abort(NOBODY_HELD);
    };
  }

  #add(kept: Kept): void {
    kept.dueAt = this.engine.clock.monotonic() + this.engine.config.leaseMs / 3;
    this.#kept.add(kept);
    if (this.#waiting === null || this.#waiting.signal.aborted) void this.#watch();
  }

  async #watch(): Promise<void> {
    const { clock } = this.engine;
    const waiting = new AbortController();
    this.#waiting = waiting;
    for (let [first] = this.#kept; first !== undefined; [first] = this.#kept) {
      await clock.sleep(Math.max(SOON_MS, first.dueAt - clock.monotonic()), waiting.signal).catch(() => undefined);
      if (waiting.signal.aborted) return;
      this.#renewDue(clock.monotonic());
    }
    this.#waiting = null;
  }

  #renewDue(now: number): void {
    for (const kept of this.#kept) {
      if (kept.dueAt - now >= SOON_MS) return;
      this.#kept.delete(kept);
      void kept.renew().then(() => {
        if (kept.isHeld) this.#add(kept);
      });
    }
  }
}

const keepers = new WeakMap<Engine, LeaseKeeper>();

export function leaseKeeper(engine: Engine): LeaseKeeper {
  const keeper = keepers.get(engine) ?? new LeaseKeeper(engine);
  keepers.set(engine, keeper);
  return keeper;
}
