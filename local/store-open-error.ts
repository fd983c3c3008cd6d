export type StoreOpenFailure = 'not-writable' | 'in-use' | 'damaged' | 'not-a-store' | 'newer-format';

/** Why the embedded store did not open, in one line for the person who started it. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
  constructor(
    readonly failure: StoreOpenFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
