import {
  type Delivery,
  deadLetterQueue,
  type OutgoingMessage,
  type ReceiveOptions,
} from '../../../shared/ports/queue.ts';
import { MemoryQueue } from '../../helpers/memory-queue.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Random } from '../kernel/random.ts';
import type { FaultPlan } from './fault-plan.ts';

export interface SimReceive extends ReceiveOptions {
  /** Whether whoever asks is still there to get something. */
  readonly isAlive?: () => boolean;
}

const MAX_DELAY_MS = 15 * 60_000;

/** SQS: at least once, in any order, sometimes late, sometimes straight to the dead letters. */
export class SimQueue extends MemoryQueue {
  readonly #waiters = new Set<() => void>();
  /** Something may be there to be received, now or later. */
  onChange: () => void = () => undefined;

  constructor(
    private readonly kernel: Kernel,
    private readonly chance: Random,
    private readonly faults: FaultPlan,
  ) {
    super(kernel.clock);
  }

  override async send(queue: string, messages: readonly OutgoingMessage[]): Promise<void> {
    for (const message of messages) {
      await super.send(this.faults.strikes('message-dead') ? deadLetterQueue(queue) : queue, [this.#late(message)]);
      if (this.faults.strikes('message-duplicated')) await super.send(queue, [this.#late(message)]);
    }
    this.#wake();
  }

  #late(message: OutgoingMessage): OutgoingMessage {
    const delayMs = (message.delayMs ?? 0) + this.chance.int(0, 40);
    if (!this.faults.strikes('message-delayed')) return { ...message, delayMs };
    return { ...message, delayMs: delayMs + this.chance.magnitude(100, MAX_DELAY_MS) };
  }

  /** A long poll: until there is something, the time is up or nobody waits any more. */
  override async receive(queue: string, options: SimReceive): Promise<readonly Delivery[]> {
    const deadline = this.kernel.now + options.waitMs;
    for (;;) {
      if (options.signal?.aborted === true || options.isAlive?.() === false) return [];
      const taken = await super.receive(queue, options);
      const left = deadline - this.kernel.now;
      if (taken.length > 0 || left <= 0) return taken;
      await this.#change(Math.min(left, this.nextVisibleAt(this.kernel.now, queue) - this.kernel.now), options.signal);
    }
  }

  override async release(queue: string, delivery: Delivery, delayMs: number): Promise<void> {
    await super.release(queue, delivery, delayMs);
    this.#wake();
  }

  #change(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        planned.cancel();
        this.#waiters.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const planned = this.kernel.plan(ms, done);
      this.#waiters.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  #wake(): void {
    this.onChange();
    for (const wake of [...this.#waiters]) wake();
  }
}
