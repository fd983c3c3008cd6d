export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never step back; only differences mean anything. */
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
