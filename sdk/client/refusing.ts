import { KagziError, STATUS_OF } from '../../shared/model/errors.ts';
import { ApiError } from './api-error.ts';

/** An engine in this process refuses with the same errors as over HTTP. */
export const refusing = <T>(call: () => Promise<T>): Promise<T> => call().catch(refuse);

function refuse(error: unknown): never {
  if (!(error instanceof KagziError)) throw error;
  throw new ApiError(error.code, STATUS_OF[error.code], error.message, error.details, { cause: error });
}
