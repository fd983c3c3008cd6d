import { watchdogTick } from '../../../shared/usecases/watchdog-tick.ts';
import type { Planned } from '../kernel/kernel.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

const TICK_MS = 1_000;
/** EventBridge starts another one within this. */
const RESTART_MS = 119_000;

interface Waiter {
  planned: Planned;
  readonly wake: () => void;
}

/** Ticks every second; those that would find nothing due are skipped, because they would do nothing. */
export class Watchdogs {
  readonly #waiters = new Set<Waiter>();
  #stoppedUntil = 0;

  constructor(
    private readonly world: World,
    copies: number,
  ) {
    world.onDueChange = () => this.#hurry();
    for (let i = 0; i < copies; i++) this.#start();
  }

  /** None ticks before this time. */
  stop(until: number): void {
    this.#stoppedUntil = until;
  }

  #start(): void {
    const process = this.world.spawn('watchdog');
    process.onDeath(() => this.world.kernel.plan(this.world.chance.int(1_000, RESTART_MS), () => this.#start()));
    void this.#loop(process);
  }

  async #loop(process: SimProcess): Promise<void> {
    const engine = process.engine();
    for (;;) {
      try {
        await watchdogTick(engine);
      } catch (error) {
        if (!String(error).includes('injected')) this.world.rules.violate('WATCHDOG', String((error as Error).stack));
      }
      await this.#nextTick(process);
    }
  }

  #nextTick(process: SimProcess): Promise<void> {
    const { kernel } = this.world;
    return new Promise((resolve) => {
      const wake = (): void => {
        if (kernel.now < this.#stoppedUntil) {
          waiter.planned = kernel.plan(this.#stoppedUntil - kernel.now, wake);
          return;
        }
        this.#waiters.delete(waiter);
        process.deliver(resolve);
      };
      const waiter: Waiter = { planned: kernel.plan(this.#delay(), wake), wake };
      this.#waiters.add(waiter);
    });
  }

  #delay(): number {
    const { kernel, table } = this.world;
    if (table.isDue(kernel.now)) return TICK_MS;
    return Math.max(TICK_MS, Math.min(table.nextDueAt(kernel.now) - kernel.now, 2 ** 40));
  }

  #hurry(): void {
    const { kernel } = this.world;
    if (this.#waiters.size === 0 || kernel.now < this.#stoppedUntil) return;
    const delay = this.#delay();
    for (const waiter of this.#waiters) {
      if (waiter.planned.at <= kernel.now + delay) continue;
      waiter.planned.cancel();
      waiter.planned = kernel.plan(delay, waiter.wake);
    }
  }
}
