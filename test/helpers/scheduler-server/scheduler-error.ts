const STATUS_OF = {
  ConflictException: 409,
  InternalServerException: 500,
  ResourceNotFoundException: 404,
  ServiceQuotaExceededException: 402,
  ThrottlingException: 429,
  ValidationException: 400,
} as const;
export type SchedulerErrorName = keyof typeof STATUS_OF;

/** What the service answers instead of a result. */
export class SchedulerError extends Error {
  readonly status: number;

  constructor(
    override readonly name: SchedulerErrorName,
    message: string,
  ) {
    super(message);
    this.status = STATUS_OF[name];
  }
}
