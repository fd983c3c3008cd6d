import { z } from 'zod';
import { KagziError } from '../../shared/model/errors.ts';
import { decodeLease, type RunLease } from '../../shared/usecases/lease.ts';

/** Fields that several calls share. The patterns keep keys injective and path segments harmless. */
export const namespace = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
    error: 'is no namespace: 1 to 63 lower-case letters, digits, dots, underscores and hyphens',
  })
  .describe('Lower-case letters, digits, `.`, `_` and `-`.');
export const runId = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, {
  error: 'is no id: a UUID in lower case, as the engine gave it',
});
export const taskQueue = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, {
  error: 'is no task queue: 1 to 64 letters, digits, underscores and hyphens',
});
export const workflowType = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, {
  error: 'is no workflow type: 1 to 128 letters, digits and . _ : / -, beginning with a letter or digit',
});
export const version = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/, {
  error: 'is no version: 1 to 32 letters, digits, dots, underscores and hyphens',
});

/** Free text without control characters and lone surrogates. */
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u, { error: 'has control characters or lone surrogates' });
export const stepId = text(200);
export const externalId = text(256);
export const reason = text(256);
export const shortText = text(256);

/** Any JSON value. */
export const payload = z.unknown().describe('Any JSON value of at most 2 MiB.');
export const lease = z
  .string()
  .max(200)
  .describe('What poll handed out: it proves that the caller still holds the run.');

export const instant = z.iso
  .datetime({ offset: true, error: 'is no time such as 2027-01-31T12:00:00Z' })
  .describe('RFC 3339');
/** In 2286: keys hold times as thirteen digits, and later ones would sort before all others. */
const LAST_INSTANT = 9_999_999_999_999;
export const toMs = (text: string): number => Math.min(Date.parse(text), LAST_INSTANT);

const MAX_LENGTH_MS = 100 * 366 * 86_400_000;
export const lengthMs = z.int().min(0).max(MAX_LENGTH_MS);
/** A time something is to happen at: no further ahead than a length may reach. */
export const futureMs = (text: string, now: number): number => Math.min(toMs(text), now + MAX_LENGTH_MS);

/** The how-manieth. */
export const sequence = z.int().min(0).max(1_000_000_000);

/** Where in an execution something is asked for: for workers that replay. */
export const place = {
  position: sequence.optional().describe('How many things the workflow had asked for before.'),
  seen: sequence.optional().describe('How many outcomes it had been told of.'),
  slept: sequence.optional().describe('How many sleeps had ended that it waited for alone.'),
  base: z
    .strictObject({ order: sequence, epoch: sequence })
    .optional()
    .describe('The last outcome that this worker was told of from the record; those after it are its own.'),
};
export const placeOf = ({ position, seen, slept, base }: z.output<z.ZodObject<typeof place>>) => ({
  position,
  seen,
  slept,
  base,
});

export const MAX_HELD_RUNS = 10_000;
export const heldRun = z.strictObject({ run_id: runId, lease });
export const heldRuns = <Run extends z.ZodType>(run: Run) => z.array(run).max(MAX_HELD_RUNS).default([]);

export const namespaceParams = z.strictObject({ namespace });
export const runParams = z.strictObject({ namespace, run_id: runId });
export const stepParams = z.strictObject({ namespace, run_id: runId, step_id: stepId });
export const workerParams = z.strictObject({ namespace, worker_id: runId });
export const noParams = z.strictObject({});
export const noQuery = z.strictObject({});

/** Query parameters are text. */
const count = (max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(fallback)
    .meta({ type: 'integer', minimum: 1, maximum: max, description: `1 to ${max}, ${fallback} by default.` });
export const flag = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .optional();
export const pageToken = z.string().min(1).max(4096).optional();
export const paging = (fallback: number) => ({ page_size: count(100, fallback), page_token: pageToken });

export function parseLease(run: { readonly namespace: string; readonly run_id: string }, text: string): RunLease {
  const parsed = decodeLease({ namespace: run.namespace, runId: run.run_id }, text);
  if (parsed === null) throw new KagziError('INVALID_ARGUMENT', 'lease: this is not a lease that poll handed out.');
  return parsed;
}
