/** A request could not be signed, so it was not sent. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
  constructor(
    readonly code: 'NO_CREDENTIALS' | 'NO_REGION',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
