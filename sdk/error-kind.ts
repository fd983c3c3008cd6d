import { type Check, isOneOf } from './check-options.ts';
import { type ErrorKind, NON_RETRYABLE_KINDS, RETRYABLE_KINDS } from './errors.ts';

const KINDS: ReadonlySet<string> = new Set<ErrorKind>([...RETRYABLE_KINDS, ...NON_RETRYABLE_KINDS, 'Unknown']);
const NETWORK_CODES = /^(ECONN|EPIPE|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_(SOCKET|CONNECT))/;
const TIMEOUT_CODES = /(ETIMEDOUT|TIMEOUT)/;
const THROTTLED = /(Throttl|TooManyRequests|RateLimit|SlowDown|ProvisionedThroughputExceeded)/i;
const VALIDATION = /^(ZodError|ValiError|ValidationError|ValidationException|SchemaError)$/;

interface Hints {
  readonly kind?: unknown;
  readonly name?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly cause?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
  readonly response?: { readonly status?: unknown };
}

function kindOfStatus(status: number): ErrorKind | null {
  if (status === 408 || status === 504) return 'Timeout';
  if (status === 429) return 'RateLimitExceeded';
  if (status === 401 || status === 403) return 'Unauthorized';
  if (status === 404 || status === 410) return 'NotFound';
  if (status === 422) return 'ValidationError';
  if (status >= 400 && status < 500) return 'BadRequest';
  return status >= 500 && status < 600 ? 'ServiceUnavailable' : null;
}

const statusOf = (error: Hints): number | null => {
  const found = [error.status, error.statusCode, error.$metadata?.httpStatusCode, error.response?.status];
  return found.find((status): status is number => typeof status === 'number') ?? null;
};

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** By what it says itself (`kind`), else by its code, HTTP status or name, else by its cause. */
export function errorKind(error: unknown, depth = 0): ErrorKind {
  if (typeof error !== 'object' || error === null || depth > 3) return 'Unknown';
  const hints = error as Hints;
  const name = textOf(hints.name);
  const code = textOf(hints.code);
  if (typeof hints.kind === 'string' && KINDS.has(hints.kind)) return hints.kind as ErrorKind;
  if (THROTTLED.test(name) || THROTTLED.test(code)) return 'RateLimitExceeded';
  if (name === 'TimeoutError' || TIMEOUT_CODES.test(code)) return 'Timeout';
  if (NETWORK_CODES.test(code)) return 'NetworkError';
  if (VALIDATION.test(name)) return 'ValidationError';
  const status = statusOf(hints);
  const byStatus = status === null ? null : kindOfStatus(status);
  return byStatus ?? errorKind(hints.cause, depth + 1);
}

/** `retryable`: only kinds known to pass; `any`: every error; `never`; some kinds; or a function of the author's. */
export type RetryIf = 'retryable' | 'any' | 'never' | readonly ErrorKind[] | ((error: unknown) => boolean);

export const isRetryIf: Check = (value) => {
  if (typeof value === 'function') return;
  if (Array.isArray(value)) for (const kind of value) isOneOf([...KINDS])(kind);
  else isOneOf(['retryable', 'any', 'never'])(value);
};

const isAmong = (kinds: readonly ErrorKind[], kind: ErrorKind): boolean => kinds.includes(kind);

/** Without a predicate, everything but the kinds that another attempt cannot mend. `nonRetryable` errors never. */
export function isRetryable(error: unknown, retryIf: RetryIf | undefined): boolean {
  if ((error as { readonly nonRetryable?: unknown } | null)?.nonRetryable === true) return false;
  const kind = errorKind(error);
  switch (retryIf) {
    case undefined:
      return !isAmong(NON_RETRYABLE_KINDS, kind);
    case 'any':
      return true;
    case 'never':
      return false;
    case 'retryable':
      return isAmong(RETRYABLE_KINDS, kind);
    default:
      return typeof retryIf === 'function' ? retryIf(error) : isAmong(retryIf, kind);
  }
}
