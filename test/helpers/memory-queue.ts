import type { Clock } from '../../shared/ports/clock.ts';
import {
  CONTROL_QUEUE,
  type Delivery,
  deadLetterQueue,
  type OutgoingMessage,
  type Queue,
  type ReceiveOptions,
} from '../../shared/ports/queue.ts';
import type { Timers } from '../../shared/ports/timers.ts';

interface Message extends OutgoingMessage {
  readonly id: number;
  queue: string;
  readonly sentAt: number;
  visibleAt: number;
  receives: number;
  held: boolean;
}

const MAX_RECEIVES = 5;

/** Queues that nobody waits on: an empty one is answered at once. */
export class MemoryQueue implements Queue {
  readonly maxDelayMs = 900_000;
  readonly #queues = new Map<string, Message[]>();
  #sent = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  async declared(): Promise<null> {
    return null;
  }

  async send(queue: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const now = this.clock.now();
    for (const message of messages) {
      const visibleAt = now + (message.delayMs ?? 0);
      this.#in(queue).push({ ...message, id: this.#sent++, queue, sentAt: now, visibleAt, receives: 0, held: false });
    }
  }

  async receive(queue: string, options: ReceiveOptions): Promise<readonly Delivery[]> {
    const now = this.clock.now();
    const { group, kinds } = options;
    const taken: Delivery[] = [];
    const worn = new Set<Message>();
    for (const message of this.#in(queue)) {
      if (message.visibleAt > now || taken.length === options.max) continue;
      if (group !== undefined && message.group !== group) continue;
      if (kinds?.includes(message.kind) === false) continue;
      if (message.receives >= MAX_RECEIVES) {
        message.queue = deadLetterQueue(queue);
        worn.add(message);
        continue;
      }
      message.receives += 1;
      message.held = true;
      message.visibleAt = now + options.visibilityMs;
      const { id, body, kind, sentAt, receives } = message;
      const receipt = `${id}.${receives}`;
      taken.push({ id: String(id), body, group: message.group, kind, sentAt, receiveCount: receives, receipt });
    }
    if (worn.size > 0) {
      this.#keep(queue, (message) => !worn.has(message));
      this.#in(deadLetterQueue(queue)).push(...worn);
    }
    return taken;
  }

  async ack(queue: string, deliveries: readonly Delivery[]): Promise<void> {
    const receipts = new Set(deliveries.map((delivery) => delivery.receipt));
    if (receipts.size === 0) return;
    this.#keep(queue, ({ id, receives, held }) => !held || !receipts.has(`${id}.${receives}`));
  }

  async release(queue: string, { receipt }: Delivery, delayMs: number): Promise<void> {
    const message = this.#in(queue).find(({ id, receives, held }) => held && receipt === `${id}.${receives}`);
    if (message === undefined) return;
    message.held = false;
    message.visibleAt = this.clock.now() + delayMs;
  }

  /** Every message that is left, with the queue it lies in. */
  all(): readonly Readonly<OutgoingMessage & { queue: string; visibleAt: number }>[] {
    return [...this.#queues.values()].flat();
  }

  async depth(queue: string, group?: string) {
    const now = this.clock.now();
    const all = this.#in(queue).filter((message) => group === undefined || message.group === group);
    const ready = all.filter((message) => message.visibleAt <= now);
    const inFlight = all.filter((message) => message.visibleAt > now && message.held).length;
    return {
      ready: ready.length,
      delayed: all.length - ready.length - inFlight,
      inFlight,
      oldestSentAt: ready[0]?.sentAt ?? null,
    };
  }

  /** Of one queue, or of any. */
  nextVisibleAt(now: number, queue?: string): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { visibleAt } of queue === undefined ? this.all() : this.#in(queue)) {
      if (visibleAt > now && visibleAt < next) next = visibleAt;
    }
    return next;
  }

  /** Whether a message can be received now. */
  isReady(now: number, queue: string): boolean {
    return this.#in(queue).some((message) => message.visibleAt <= now);
  }

  #in(queue: string): Message[] {
    const known = this.#queues.get(queue);
    if (known !== undefined) return known;
    const made: Message[] = [];
    this.#queues.set(queue, made);
    return made;
  }

  #keep(queue: string, which: (message: Message) => boolean): void {
    this.#queues.set(queue, this.#in(queue).filter(which));
  }
}

/** Timers that fire when told what time it is. */
export class MemoryTimers implements Timers {
  readonly leadMs = 0;
  readonly #timers = new Map<string, { readonly at: number; readonly body: string; readonly group: string }>();

  constructor(private readonly queue: Queue) {}

  async set(id: string, at: number, message: { readonly body: string; readonly group: string }): Promise<void> {
    this.#timers.set(id, { at, ...message });
  }

  async cancel(id: string): Promise<void> {
    this.#timers.delete(id);
  }

  async fire(now: number): Promise<void> {
    for (const [id, { at, body, group }] of this.#timers) {
      if (at > now) continue;
      this.#timers.delete(id);
      await this.queue.send(CONTROL_QUEUE, [{ body, group, kind: 'timer' }]);
    }
  }

  nextAt(): number {
    return Math.min(...[...this.#timers.values()].map((timer) => timer.at), Number.POSITIVE_INFINITY);
  }
}
