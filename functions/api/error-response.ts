import * as z from 'zod';
import { type ErrorCode, KagziError } from '../../shared/model/errors.ts';
import { PortError } from '../../shared/ports/port-error.ts';
import type { ApiAnswer } from './call.ts';

/** The one table from error codes to HTTP statuses. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  INVALID_ARGUMENT: 400,
  INVALID_PAGE_TOKEN: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  ROUTE_NOT_FOUND: 404,
  RUN_NOT_FOUND: 404,
  STEP_NOT_FOUND: 404,
  WORKER_NOT_FOUND: 404,
  DEAD_LETTER_NOT_FOUND: 404,
  TASK_QUEUE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  EXTERNAL_ID_CONFLICT: 409,
  RUN_FINISHED: 409,
  RUN_NOT_FINISHED: 409,
  LEASE_LOST: 409,
  STEP_NOT_BEGUN: 409,
  STEP_FINISHED: 409,
  STEP_KIND_CONFLICT: 409,
  CANCEL_NOT_REQUESTED: 409,
  WORKER_DRAINING: 409,
  WORKER_OFFLINE: 409,
  ENGINE_DRAINING: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};

export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(STATUS_OF) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
});

const answer = (code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}): ApiAnswer => ({
  status: STATUS_OF[code],
  body: { error: { code, message, details } },
});

/** What the caller did wrong is told; what went wrong here is not, and is for the log. */
export function errorResponse(error: unknown): ApiAnswer {
  if (error instanceof KagziError) {
    const told = answer(error.code, error.message, error.details);
    return error.code === 'METHOD_NOT_ALLOWED' ? { ...told, headers: { allow: String(error.details['allow']) } } : told;
  }
  if (error instanceof PortError && error.failure !== 'invalid') {
    return { ...answer('UNAVAILABLE', 'The service is unavailable; try again.'), headers: { 'retry-after': '1' } };
  }
  return answer('INTERNAL', 'Something went wrong here.');
}
