import * as z from 'zod';
import { type Failure, failure } from '../../shared/model/failure.ts';
import { lengthMs, payload } from './fields.ts';

/** As a worker reports it. */
export const errorDetail = z.strictObject({
  code: z.string().min(1).max(1024).optional(),
  message: z.string().max(1_000_000),
  non_retryable: z.boolean().optional(),
  retry_after_ms: lengthMs.optional(),
  stack: z.string().max(1_000_000).optional(),
  details: payload.optional(),
});

/** As it is shown: bounded and without control characters. */
export const shownError = z.strictObject({
  code: z.string(),
  message: z.string(),
  non_retryable: z.boolean(),
  stack: z.string().nullable(),
  details: payload.optional(),
});

export const errorFromWire = (error: z.output<typeof errorDetail>): Failure =>
  failure({
    code: error.code,
    message: error.message,
    nonRetryable: error.non_retryable,
    stack: error.stack,
    details: error.details === undefined ? null : JSON.stringify(error.details),
  });

export const errorToWire = (error: Failure): z.output<typeof shownError> => ({
  code: error.code,
  message: error.message,
  non_retryable: error.nonRetryable,
  stack: error.stack,
  ...(error.details === null ? {} : { details: JSON.parse(error.details) as unknown }),
});
