import type { Random } from '../kernel/random.ts';
import type { Watchdogs } from '../world/watchdogs.ts';
import type { World } from '../world/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * Over years: now calls fail and processes die, now they do not, and a few times a year nothing runs at all for up to
 * two days. Messages, timers, clocks and indexes are never at rest.
 */
export class Weather {
  #downUntil = 0;
  outages = 0;

  constructor(
    private readonly world: World,
    private readonly watchdogs: Watchdogs,
    private readonly random: Random,
    private readonly until: number,
  ) {
    this.#storm();
    this.#plan(random.magnitude(HOUR, 60 * DAY), () => this.#outage());
  }

  get isDown(): boolean {
    return this.world.kernel.now < this.#downUntil;
  }

  #storm(): void {
    this.world.faults.isCalm = false;
    const lengthMs = this.random.magnitude(HOUR, DAY);
    this.#plan(lengthMs, () => {
      this.world.faults.isCalm = true;
      this.#plan(this.random.int(1, 6) * lengthMs, () => this.#storm());
    });
  }

  #outage(): void {
    this.outages += 1;
    this.#downUntil = this.world.kernel.now + this.random.magnitude(5 * 60_000, 2 * DAY);
    this.watchdogs.stop(this.#downUntil);
    this.#plan(this.random.int(5, 60) * DAY, () => this.#outage());
  }

  #plan(delayMs: number, act: () => void): void {
    const { kernel } = this.world;
    if (kernel.now + delayMs < this.until) kernel.plan(delayMs, act);
  }
}
