/** A request could not be signed, so it was not sent. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
  /** It could be signed before, and may be again. */
  readonly isTransient: boolean;

  constructor(
    readonly code: 'NO_CREDENTIALS' | 'NO_REGION',
    message: string,
    { isTransient = false, ...options }: ErrorOptions & { readonly isTransient?: boolean } = {},
  ) {
    super(message, options);
    this.isTransient = isTransient;
  }
}
