import * as z from 'zod';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../../shared/model/retry-policy.ts';
import { policyToWire, type WirePolicy } from '../../shared/model/wire-policy.ts';
import { lengthMs } from './fields.ts';

const MAX_ATTEMPTS = 10_000;
const attempts = z.int().min(1).max(MAX_ATTEMPTS).default(3);
const jitter = z.boolean().default(false).describe('Spreads each wait by ±25 %.');

/** Where a policy is given, its kind may be left out: see `retryPolicy`. */
export const exponential = z.strictObject({
  kind: z.literal('exponential'),
  maximum_attempts: attempts,
  initial_interval_ms: lengthMs.default(1_000),
  backoff_coefficient: z.number().min(1).max(100).default(2),
  maximum_interval_ms: lengthMs.default(60_000),
  jitter,
});
const fixed = z.strictObject({ kind: z.literal('fixed'), maximum_attempts: attempts, interval_ms: lengthMs, jitter });
const none = z.strictObject({ kind: z.literal('none') });
const wirePolicy = z.discriminatedUnion('kind', [exponential, fixed, none]);

/** Exponential unless it says otherwise. */
export const retryPolicy = z
  .preprocess(
    (given) => (isObject(given) && !Object.hasOwn(given, 'kind') ? { kind: 'exponential', ...given } : given),
    wirePolicy,
  )
  .describe('Without `kind` it is exponential. `maximum_attempts` counts the first one.');
export const shownPolicy = wirePolicy;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null is the default policy, and shown as what it means. */
export const shownPolicyOf = (given: RetryPolicy | null): WirePolicy => policyToWire(given ?? DEFAULT_RETRY_POLICY);
