import { isWellFormed, utf8Length } from '../shared/model/utf8-order.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { PortError } from '../shared/ports/port-error.ts';
import {
  type Delivery,
  deadLetterQueue,
  type OutgoingMessage,
  type Queue,
  type QueueDepth,
  type ReceiveOptions,
} from '../shared/ports/queue.ts';
import { FreshMessages } from './fresh-messages.ts';
import { type MessageRow, MessageRows, parseReceipt } from './message-rows.ts';
import { QueueWaiters } from './queue-waiters.ts';
import { QuietQueues } from './quiet-queues.ts';
import type { SqliteStore } from './sqlite-store.ts';

const DEFAULT_MAX_RECEIVES = 5;
const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_HIDDEN_MS = 12 * 3600 * 1000;

export interface SqliteQueueOptions {
  readonly maxReceives?: number;
  /** Where the engine's table lies in the same store. */
  readonly followsTable?: boolean;
}

export class SqliteQueue implements Queue {
  readonly maxDelayMs = 900_000;
  readonly followsTable: boolean;
  readonly #rows: MessageRows;
  readonly #fresh = new FreshMessages();
  readonly #quiet = new QuietQueues();
  readonly #waiters = new Map<string, QueueWaiters>();
  /** Whether messages were made ready that are not committed yet. */
  #isMaking = false;

  constructor(
    private readonly store: SqliteStore,
    private readonly clock: Clock,
    options: SqliteQueueOptions = {},
  ) {
    this.followsTable = options.followsTable === true;
    this.#rows = new MessageRows(store, options.maxReceives ?? DEFAULT_MAX_RECEIVES);
    store.onCommit(() => this.#flush());
    store.onRollback(() => {
      this.#fresh.clear();
      this.#quiet.clear();
    });
    store.onClose(() => {
      for (const waiters of this.#waiters.values()) waiters.wakeAll();
    });
  }

  async declared(): Promise<null> {
    return null;
  }

  /** Messages are hints, and the engine sends them again: old ones are dropped, as SQS does. */
  dropSentBefore(time: number): Promise<number> {
    return this.store.write(() => {
      this.#flush();
      return this.#rows.dropSentBefore(time);
    });
  }

  /** Every queue that ever got a message. */
  names(): Promise<readonly string[]> {
    return this.store.read(() => {
      this.#flush();
      return this.#rows.names();
    });
  }

  async send(queue: string, messages: readonly OutgoingMessage[]): Promise<void> {
    checkName(queue);
    for (const message of messages) this.#check(message);
    await this.store.write(() => this.sendInGroup(queue, messages));
  }

  /** For those who send inside a store operation of their own. */
  sendInGroup(queue: string, messages: readonly OutgoingMessage[]): void {
    const now = this.clock.now();
    this.#rows.note(queue);
    for (const message of messages) {
      const visibleAt = now + (message.delayMs ?? 0);
      const row = { id: this.#rows.nextId(), queue, message, sentAt: now, visibleAt, receives: 0, isHeld: false };
      if (visibleAt === now) this.#fresh.add(row);
      else this.#write(row);
    }
    const ready = messages.filter((message) => (message.delayMs ?? 0) === 0);
    const delays = messages.flatMap(({ delayMs = 0 }) => (delayMs > 0 ? [delayMs] : []));
    this.#tell(() => {
      const waiters = this.#waiters.get(queue);
      if (ready.length > 0) waiters?.wakeFor(ready);
      if (delays.length > 0) waiters?.ringAt(now + Math.min(...delays));
    });
  }

  async receive(queue: string, options: ReceiveOptions): Promise<readonly Delivery[]> {
    checkName(queue);
    if (!Number.isInteger(options.max) || options.max < 1) throw new PortError('invalid', `max is ${options.max}`);
    checkMs('visibilityMs', options.visibilityMs, MAX_HIDDEN_MS);
    const waiters = this.#waitersOf(queue);
    const end = this.clock.monotonic() + options.waitMs;
    for (;;) {
      if (isAborted(options)) return [];
      const { wakes } = waiters;
      const { taken, nextAt } = await this.#take(queue, options);
      const left = end - this.clock.monotonic();
      if (taken.length > 0 || left <= 0) return taken;
      const why = await waiters.wait({ ...options, wakes, ms: left, nextAt });
      // Woken for a message that it will not take: it is for somebody else then.
      if (why === 'message' && isAborted(options)) waiters.wakeAll();
    }
  }

  async ack(queue: string, deliveries: readonly Delivery[]): Promise<void> {
    await this.store.writeSoon(() => {
      for (const delivery of deliveries) {
        if (!this.#fresh.remove(queue, parseReceipt(delivery.receipt).id)) this.#rows.remove(queue, delivery);
      }
    });
  }

  async release(queue: string, delivery: Delivery, delayMs: number): Promise<void> {
    checkMs('delayMs', delayMs, MAX_HIDDEN_MS);
    await this.store.write(() => {
      this.#flush();
      const at = this.clock.now() + delayMs;
      this.#rows.release(queue, delivery, at);
      this.#quiet.wake(queue, at);
      this.#wakeAll(queue);
    });
  }

  depth(queue: string, group?: string): Promise<QueueDepth> {
    return this.store.read(() => {
      this.#flush();
      return this.#rows.depth(queue, group, this.clock.now());
    });
  }

  /**
   * That it was delivered may be lost: then it comes once more. That it was sent may be lost with the write it follows,
   * and then whoever got it finds no such run; other messages are delivered once they are committed.
   */
  async #take(queue: string, options: ReceiveOptions): Promise<{ taken: readonly Delivery[]; nextAt: number | null }> {
    const take = () => {
      const now = this.clock.now();
      const quiet = this.#quiet.of(queue, options, now);
      const { taken, buried } = quiet === null ? this.#rows.take(queue, options, now) : { taken: [], buried: false };
      // It comes up again if it is not acknowledged, and others may wait for it.
      if (taken.length > 0) this.#waiters.get(queue)?.ringAt(now + options.visibilityMs);
      if (buried) {
        this.#quiet.wake(deadLetterQueue(queue), now);
        this.#wakeAll(deadLetterQueue(queue));
      }
      const room = options.max - taken.length;
      const fresh = room > 0 ? this.#fresh.take(queue, options, room, now + options.visibilityMs) : [];
      if (taken.length + fresh.length > 0) return { taken: [...taken, ...fresh], nextAt: null };
      if (quiet !== null) return { taken, nextAt: quiet.until };
      const nextAt = this.#rows.nextVisibleAt(queue, now);
      this.#quiet.note(queue, options, nextAt);
      return { taken, nextAt };
    };
    return this.#isMaking ? this.store.write(take) : this.store.enter(take);
  }

  /** What is still in the open group is written: when it is committed, or before anybody looks at all there is. */
  #flush(): void {
    this.#fresh.flush(this.#rows, ({ queue, visibleAt, isHeld }) => {
      this.#quiet.wake(queue, visibleAt);
      if (isHeld) this.#waiters.get(queue)?.ringAt(visibleAt);
    });
  }

  #write(row: MessageRow): void {
    this.#rows.add(row);
    this.#quiet.wake(row.queue, row.visibleAt);
  }

  #waitersOf(queue: string): QueueWaiters {
    let waiters = this.#waiters.get(queue);
    if (waiters === undefined) {
      waiters = new QueueWaiters(this.clock);
      this.#waiters.set(queue, waiters);
    }
    return waiters;
  }

  #wakeAll(queue: string): void {
    this.#tell(() => this.#waiters.get(queue)?.wakeAll());
  }

  /** Who is told within the group can share its commit: a claim that of the start. */
  #tell(waiters: () => void): void {
    this.#isMaking = !this.followsTable;
    if (this.followsTable) waiters();
    else
      this.store.afterGroup(() => {
        this.#isMaking = false;
        waiters();
      });
  }

  #check(message: OutgoingMessage): void {
    checkMs('delayMs', message.delayMs ?? 0, this.maxDelayMs);
    for (const text of [message.body, message.group, message.kind]) {
      if (!isWellFormed(text)) throw new PortError('invalid', 'a message is not well-formed Unicode');
    }
    if (utf8Length(message.body) > MAX_MESSAGE_BYTES)
      throw new PortError('invalid', `a message of more than ${MAX_MESSAGE_BYTES} bytes`);
  }
}

const isAborted = ({ signal }: ReceiveOptions): boolean => signal?.aborted === true;

function checkName(queue: string): void {
  if (queue === '' || !isWellFormed(queue)) throw new PortError('invalid', 'not a queue name');
}

function checkMs(name: string, ms: number, max: number): void {
  if (!(ms >= 0 && ms <= max)) throw new PortError('invalid', `${name} is ${ms}, not within 0 and ${max}`);
}
