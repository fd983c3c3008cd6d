import { type Duration, durationMs } from '../shared/model/duration.ts';

/** What kind of trouble an error is; decides by default whether another attempt makes sense. */
export const RETRYABLE_KINDS = [
  'NetworkError',
  'Timeout',
  'DatabaseError',
  'RateLimitExceeded',
  'ServiceUnavailable',
] as const;
export const NON_RETRYABLE_KINDS = ['NotFound', 'Unauthorized', 'BadRequest', 'ValidationError'] as const;
export type ErrorKind = (typeof RETRYABLE_KINDS)[number] | (typeof NON_RETRYABLE_KINDS)[number] | 'Unknown';

export interface ErrorOptionsWithCode extends ErrorOptions {
  readonly code?: string;
}

abstract class CodedError extends Error {
  readonly code: string;
  constructor(message: string, fallbackCode: string, options: ErrorOptionsWithCode = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = options.code ?? fallbackCode;
  }
}

/** Thrown by an author: no further attempt of this step, or of the run if thrown outside a step. */
export class NonRetryableError extends CodedError {
  override readonly name = 'NonRetryableError';
  readonly nonRetryable = true;
  constructor(message: string, options?: ErrorOptionsWithCode) {
    super(message, 'NON_RETRYABLE', options);
  }
}

/** Thrown by an author: the next attempt not before this long, or this time. It never adds to the number of attempts. */
export class RetryAfterError extends CodedError {
  override readonly name = 'RetryAfterError';
  readonly retryAfter: number | Date;
  constructor(message: string, retryAfter: Duration | Date, options?: ErrorOptionsWithCode) {
    super(message, 'RETRY_AFTER', options);
    this.retryAfter = retryAfter instanceof Date ? retryAfter : durationMs(retryAfter);
  }
}

/** A step failed for good with an error whose class is not known here: `code` and `cause` are those of the original. */
export class StepFailedError extends CodedError {
  override readonly name = 'StepFailedError';
  constructor(
    message: string,
    readonly stepId: string,
    options?: ErrorOptionsWithCode,
  ) {
    super(message, 'STEP_FAILED', options);
  }
}

export class StepTimeoutError extends CodedError {
  override readonly name = 'StepTimeoutError';
  readonly kind: ErrorKind = 'Timeout';
  constructor(
    readonly stepId: string,
    readonly timeoutMs: number,
    options?: ErrorOptionsWithCode,
  ) {
    super(`The step "${stepId}" took longer than ${timeoutMs} ms.`, 'STEP_TIMEOUT', options);
  }
}

/** An at-most-once step was begun by a worker that then went silent: whether its body ran is not known. */
export class StepInterruptedError extends CodedError {
  override readonly name = 'StepInterruptedError';
  readonly nonRetryable = true;
  constructor(
    readonly stepId: string,
    options?: ErrorOptionsWithCode,
  ) {
    super(
      `The step "${stepId}" may run at most once and was begun before: whether it ran to its end is not known.`,
      'STEP_INTERRUPTED',
      options,
    );
  }
}

/** A child run failed or was cancelled, or has ended and is gone, so that nobody knows how. */
export class ChildFailedError extends CodedError {
  override readonly name = 'ChildFailedError';
  constructor(
    message: string,
    readonly childRunId: string,
    readonly childStatus: 'FAILED' | 'CANCELLED' | 'GONE',
    options?: ErrorOptionsWithCode,
  ) {
    super(message, 'CHILD_FAILED', options);
  }
}

/** Thrown into a workflow that is being cancelled with a grace; also what a client's `result()` throws for a cancelled run. */
export class CancelledError extends CodedError {
  override readonly name = 'CancelledError';
  readonly nonRetryable = true;
  constructor(
    message = 'The run was cancelled.',
    readonly reason: string | null = null,
    options?: ErrorOptionsWithCode,
  ) {
    super(message, 'CANCELLED', options);
  }
}

/** What a client's `result()` throws for a failed run: `code` and `cause` are the run's. */
export class RunFailedError extends CodedError {
  override readonly name = 'RunFailedError';
  constructor(
    message: string,
    readonly runId: string,
    options?: ErrorOptionsWithCode,
  ) {
    super(message, 'RUN_FAILED', options);
  }
}

/** The code asked for something else than the history says: the run fails rather than going another way. */
export class NonDeterminismError extends CodedError {
  override readonly name = 'NonDeterminismError';
  readonly nonRetryable = true;
  constructor(message: string, options?: ErrorOptionsWithCode) {
    super(message, 'NON_DETERMINISTIC', options);
  }
}

/** A run took longer than its workflow allows. */
export class RunTimeoutError extends CodedError {
  override readonly name = 'RunTimeoutError';
  readonly nonRetryable = true;
  constructor(timeoutMs: number, options?: ErrorOptionsWithCode) {
    super(`The run took longer than ${timeoutMs} ms.`, 'RUN_TIMEOUT', options);
  }
}
