import type { LogFields } from '../context.ts';
import { NonDeterminismError } from '../errors.ts';
import { toFailure } from './failures.ts';

/** What a log is told of an error. */
export type TellError = (error: unknown) => LogFields;

/** Its code; its message only where that may be, because it can carry what is in a payload. Ids of steps are no payload. */
export const tellError =
  (withMessage: boolean): TellError =>
  (error) => {
    const { code, message } = toFailure(error, false);
    return { error_code: code, ...(withMessage || error instanceof NonDeterminismError ? { error: message } : {}) };
  };
