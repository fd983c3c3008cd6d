import { CONTROL_QUEUE, type Queue } from '../../../shared/ports/queue.ts';
import type { Timers } from '../../../shared/ports/timers.ts';
import type { Kernel, Planned } from '../kernel/kernel.ts';
import type { Random } from '../kernel/random.ts';
import type { FaultPlan } from './fault-plan.ts';

const HOUR_MS = 3_600_000;

interface Armed {
  readonly body: string;
  readonly group: string;
  readonly planned: Planned;
}

/** EventBridge Scheduler: up to a minute late at any time, and worse by chance; never early. */
export class SimTimers implements Timers {
  readonly leadMs = 120_000;
  readonly #armed = new Map<string, Armed>();

  constructor(
    private readonly kernel: Kernel,
    private readonly chance: Random,
    private readonly faults: FaultPlan,
    private readonly queue: Queue,
  ) {}

  async set(id: string, at: number, message: { readonly body: string; readonly group: string }): Promise<void> {
    this.#armed.get(id)?.planned.cancel();
    const late = this.chance.int(0, 60_000) + (this.faults.strikes('timer-late') ? this.chance.int(0, HOUR_MS) : 0);
    const planned = this.kernel.plan(at - this.kernel.now + late, () => this.#fire(id));
    this.#armed.set(id, { ...message, planned });
  }

  async cancel(id: string): Promise<void> {
    const armed = this.#armed.get(id);
    if (armed === undefined || this.faults.strikes('timer-after-cancel')) return;
    armed.planned.cancel();
    this.#armed.delete(id);
  }

  ids(): readonly string[] {
    return [...this.#armed.keys()];
  }

  #fire(id: string): void {
    const armed = this.#armed.get(id);
    if (armed === undefined) return;
    this.#armed.delete(id);
    const message = { body: armed.body, group: armed.group, kind: 'timer' };
    if (this.faults.strikes('timer-lost')) return;
    void this.queue.send(CONTROL_QUEUE, [message]);
    if (this.faults.strikes('timer-duplicated')) void this.queue.send(CONTROL_QUEUE, [message]);
  }
}
