export interface OutgoingMessage {
  readonly body: string;
  /** The namespace: fairness is between groups, and pollers ask for their own. */
  readonly group: string;
  /** What a poller may select by: the workflow type. */
  readonly kind: string;
  readonly delayMs?: number;
  /** Of the trace its sender works in, as X-Ray writes it; queues on one machine have no room for it. */
  readonly trace?: string;
}

export interface Delivery {
  readonly id: string;
  readonly body: string;
  readonly group: string;
  readonly kind: string;
  /** 1 on the first delivery. */
  readonly receiveCount: number;
  readonly sentAt: number;
  /** Names this delivery; useless once its visibility has lapsed and it was delivered again. */
  readonly receipt: string;
  /** Of the trace its sender worked in, if the queue carried it. */
  readonly trace?: string;
}

export interface ReceiveOptions {
  readonly max: number;
  /** How long to wait for the first message. */
  readonly waitMs: number;
  /** How long the messages stay hidden from others. */
  readonly visibilityMs: number;
  readonly group?: string;
  readonly kinds?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Named queues, at least once, in no promised order. A message received more often than the queue allows
 * moves to the queue `deadLetterQueue(name)` instead of being delivered again.
 */
export interface Queue {
  readonly maxDelayMs: number;
  /** Whether what is sent in the turn of a write to the table is delivered after that write, or never. */
  readonly followsTable?: boolean;
  /** The queues that exist; null where any name may be used. */
  declared(): Promise<readonly string[] | null>;
  send(queue: string, messages: readonly OutgoingMessage[]): Promise<void>;
  receive(queue: string, options: ReceiveOptions): Promise<readonly Delivery[]>;
  ack(queue: string, deliveries: readonly Delivery[]): Promise<void>;
  /** Gives it back, to be delivered again after the delay. */
  release(queue: string, delivery: Delivery, delayMs: number): Promise<void>;
  /** Of one group where the adapter can tell them apart, else of the whole queue. */
  depth(queue: string, group?: string): Promise<QueueDepth>;
}

export interface QueueDepth {
  readonly ready: number;
  readonly delayed: number;
  readonly inFlight: number;
  /** When the oldest ready message was sent; null if there is none or the adapter cannot tell. */
  readonly oldestSentAt: number | null;
}

const DEAD = '.dead';
export const deadLetterQueue = (queue: string): string => queue + DEAD;
/** The queue whose dead letters these are; null for any other queue. */
export const deadLettersOf = (queue: string): string | null =>
  queue.endsWith(DEAD) ? queue.slice(0, -DEAD.length) : null;
/** Timers, sweeps and other messages of the engine to itself. */
export const CONTROL_QUEUE = 'kagzi.control';
/** Of messages that concern no namespace; no namespace has this name. */
export const ENGINE_GROUP = '#kagzi';
