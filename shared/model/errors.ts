/** Every way a call can be refused. */
export type ErrorCode =
  | 'INVALID_ARGUMENT'
  | 'INVALID_PAGE_TOKEN'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'ROUTE_NOT_FOUND'
  | 'RUN_NOT_FOUND'
  | 'STEP_NOT_FOUND'
  | 'WORKER_NOT_FOUND'
  | 'SCHEDULE_NOT_FOUND'
  | 'DEAD_LETTER_NOT_FOUND'
  | 'TASK_QUEUE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'EXTERNAL_ID_CONFLICT'
  | 'SCHEDULE_EXISTS'
  | 'SCHEDULE_CHANGED'
  | 'RUN_FINISHED'
  | 'RUN_NOT_FINISHED'
  | 'LEASE_LOST'
  | 'STEP_NOT_BEGUN'
  | 'STEP_FINISHED'
  | 'STEP_KIND_CONFLICT'
  | 'CANCEL_NOT_REQUESTED'
  | 'WORKER_DRAINING'
  | 'WORKER_OFFLINE'
  | 'ENGINE_DRAINING'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UNAVAILABLE'
  | 'INTERNAL';

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
  SCHEDULE_NOT_FOUND: 404,
  DEAD_LETTER_NOT_FOUND: 404,
  TASK_QUEUE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  EXTERNAL_ID_CONFLICT: 409,
  SCHEDULE_EXISTS: 409,
  SCHEDULE_CHANGED: 409,
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

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The caller, or the moment, is wrong: the message is for the caller. */
export class KagziError extends Error {
  override readonly name = 'KagziError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
  }
}
