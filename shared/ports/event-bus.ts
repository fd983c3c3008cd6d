export interface BusEvent {
  readonly type: string;
  /** When it happened. */
  readonly at: number;
  /** Never a payload. */
  readonly detail: Readonly<Record<string, string | number | null>>;
}

/** Where others hear of what has happened. */
export interface EventBus {
  /** At least once; answers for each in turn whether the bus has it. */
  publish(events: readonly BusEvent[]): Promise<readonly boolean[]>;
}
