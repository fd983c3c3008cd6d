import * as z from 'zod';
import { type ErrorCode, KagziError, STATUS_OF } from '../../shared/model/errors.ts';
import { PortError } from '../../shared/ports/port-error.ts';
import type { ApiAnswer } from './call.ts';

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
