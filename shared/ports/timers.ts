export interface TimerMessage {
  readonly body: string;
  readonly group: string;
  /** As a message of a queue has it. */
  readonly trace?: string;
}

/** One-shot timers that put a message on the control queue. At least once, never early, perhaps late. */
export interface Timers {
  /** How much earlier than needed a timer should be set, because this adapter may be that imprecise. */
  readonly leadMs: number;
  /** Setting an id again replaces it. */
  set(id: string, at: number, message: TimerMessage): Promise<void>;
  /** Harmless if it has fired or never was. */
  cancel(id: string): Promise<void>;
}

/** The kind of the messages that timers put on the control queue. */
export const TIMER_KIND = 'timer';
