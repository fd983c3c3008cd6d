import type { Delivery } from '../../../shared/ports/queue.ts';
import type { Planned } from '../kernel/kernel.ts';
import type { World } from './world.ts';

export interface EventSourceOptions {
  readonly queue: string;
  readonly batch: number;
  readonly visibilityMs: number;
  readonly concurrency: number;
  /** Answers the messages that were served; never settles if the process died. */
  readonly invoke: (deliveries: readonly Delivery[]) => Promise<readonly Delivery[]>;
  /** How long it may take before the process is killed. */
  readonly timeoutMs: number;
}

/** Lambda's event source mapping: takes messages when there are some, deletes those that were served. */
export class EventSource {
  #running = 0;
  #planned: Planned | null = null;

  constructor(
    private readonly world: World,
    private readonly options: EventSourceOptions,
  ) {}

  /** The queue may have something. */
  look(): void {
    const { kernel, queue } = this.world;
    this.#planned?.cancel();
    const now = kernel.now;
    const { queue: name } = this.options;
    if (this.#running >= this.options.concurrency) return;
    const delay = queue.isReady(now, name) ? this.world.chance.int(1, 30) : queue.nextVisibleAt(now, name) - now;
    if (Number.isFinite(delay)) this.#planned = kernel.plan(delay, () => void this.#take());
  }

  async #take(): Promise<void> {
    const { queue, batch, visibilityMs, timeoutMs } = this.options;
    const taken = await this.world.queue.receive(queue, { max: batch, waitMs: 0, visibilityMs });
    if (taken.length > 0) {
      this.#running += 1;
      let over = false;
      const end = (): void => {
        if (over) return;
        over = true;
        this.#running -= 1;
        this.look();
      };
      this.world.kernel.plan(timeoutMs + 1_000, end);
      void this.options.invoke(taken).then(async (served) => {
        await this.world.queue.ack(queue, served);
        end();
      });
    }
    this.look();
  }
}
