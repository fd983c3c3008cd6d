import type { PortFailure } from '../ports/port-error.ts';

const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'ThrottlingError',
  'Throttling',
  'RequestLimitExceeded',
  'RequestLimitExceededException',
  'LimitExceededException',
  'TooManyRequestsException',
  // SQS
  'RequestThrottled',
  'KmsThrottled',
  'OverLimit',
  // S3
  'SlowDown',
]);
const INVALID = new Set([
  'ValidationException',
  'ValidationError',
  'SerializationException',
  'ItemCollectionSizeLimitExceededException',
  'ItemCollectionSizeLimitExceeded',
  'IdempotentParameterMismatchException',
  // SQS
  'InvalidMessageContents',
  'InvalidParameterValue',
  'InvalidAttributeValue',
  'BatchRequestTooLong',
  'UnsupportedOperation',
  // S3
  'KeyTooLongError',
  'EntityTooLarge',
]);
/** The connection or the credentials failed before a byte of the request left. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'CredentialsProviderError']);

export interface SdkFailure {
  readonly failure: PortFailure;
  /** Worth sending again from here. */
  readonly again: boolean;
}

interface SdkError {
  readonly CancellationReasons?: readonly { readonly Code?: string | undefined }[];
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

export const isInvalid = (code: string | undefined): boolean => code !== undefined && INVALID.has(code);

export function classifySdkError(error: unknown): SdkFailure {
  const { name = '', code = '', $metadata, CancellationReasons } = (error ?? {}) as SdkError;
  const status = $metadata?.httpStatusCode;
  // A client that retries by itself may hide a lost answer behind the last, clean-looking one.
  if (($metadata?.attempts ?? 1) > 1 && !INVALID.has(name)) return { failure: 'unknown', again: true };
  if (CancellationReasons) return classifyCancellation(CancellationReasons.map((reason) => reason.Code));
  if (name === 'TransactionConflictException') return { failure: 'conflict', again: false };
  // The same token is being worked on: the earlier request did get through.
  if (name === 'TransactionInProgressException') return { failure: 'unknown', again: true };
  // Of the Scheduler and S3: somebody else is changing the same thing.
  if (name === 'ConflictException' || name === 'OperationAborted') return { failure: 'conflict', again: true };
  if (THROTTLED.has(name)) return { failure: 'unavailable', again: true };
  if (INVALID.has(name)) return { failure: 'invalid', again: false };
  if (NEVER_SENT.has(name) || NEVER_SENT.has(code)) return { failure: 'unavailable', again: true };
  // S3 says with a 400 that it gave up waiting for the request.
  if (name === 'RequestTimeout') return { failure: 'unknown', again: true };
  if (status !== undefined && status >= 400 && status < 500) return { failure: 'unavailable', again: false };
  return { failure: 'unknown', again: true };
}

function classifyCancellation(codes: readonly (string | undefined)[]): SdkFailure {
  if (codes.some(isInvalid)) return { failure: 'invalid', again: false };
  if (codes.includes('TransactionConflict')) return { failure: 'conflict', again: false };
  return { failure: 'unavailable', again: true };
}
