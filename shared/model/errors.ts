/** Every way a call can be refused. The HTTP statuses stand in functions/api/error-response.ts. */
export type ErrorCode =
  | 'INVALID_ARGUMENT'
  | 'INVALID_PAGE_TOKEN'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'ROUTE_NOT_FOUND'
  | 'RUN_NOT_FOUND'
  | 'STEP_NOT_FOUND'
  | 'WORKER_NOT_FOUND'
  | 'DEAD_LETTER_NOT_FOUND'
  | 'TASK_QUEUE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'EXTERNAL_ID_CONFLICT'
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
