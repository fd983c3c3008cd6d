export type PortFailure =
  /** Timeout, lost connection, 5xx: it may or may not have been applied. */
  | 'unknown'
  /** Refused before anything was written: throttled, overloaded, closed. Worth another try. */
  | 'unavailable'
  /** A concurrent transaction touched the same items; nothing was written. */
  | 'conflict'
  /** The request can never succeed: empty key, wrong type, item too large. */
  | 'invalid';

/** What an adapter throws when the world, not the condition, said no. */
export class PortError extends Error {
  override readonly name = 'PortError';
  constructor(
    readonly failure: PortFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
