/** The error of a step or run as it is stored and shown: bounded and without control characters. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly nonRetryable: boolean;
  readonly stack: string | null;
  readonly details: string | null;
}

/** In characters. */
export const FAILURE_LIMITS = { code: 128, message: 2048, stack: 8192, details: 16384 } as const;

export function failure(given: {
  readonly code?: string | undefined;
  readonly message: string;
  readonly nonRetryable?: boolean | undefined;
  readonly stack?: string | null | undefined;
  readonly details?: string | null | undefined;
}): Failure {
  return {
    code: bounded(given.code ?? 'Error', FAILURE_LIMITS.code),
    message: bounded(given.message, FAILURE_LIMITS.message),
    nonRetryable: given.nonRetryable ?? false,
    stack: given.stack == null ? null : bounded(given.stack, FAILURE_LIMITS.stack),
    // Details are JSON text: cutting them would break it, so an oversized one is left out.
    details: given.details == null || given.details.length > FAILURE_LIMITS.details ? null : given.details,
  };
}

function bounded(text: string, limit: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  const clean = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd').toWellFormed();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).toWellFormed()}…`;
}

/** What fits into a run's head. */
export const summary = (whole: Failure): Failure => ({
  code: bounded(whole.code, 64),
  message: bounded(whole.message, 160),
  nonRetryable: whole.nonRetryable,
  stack: null,
  details: null,
});
