import * as z from 'zod';
import { MAX_DURATION_MS } from '../../shared/model/duration.ts';
import { KagziError } from '../../shared/model/errors.ts';
import { storableInstant } from '../../shared/model/instant.ts';
import { MAX_EXTERNAL_ID, NAMES, TEXT } from '../../shared/model/names.ts';
import { decodeLease, type RunLease } from '../../shared/usecases/lease.ts';

/** Fields that several calls share. */
const name = (of: keyof typeof NAMES) => z.string().regex(NAMES[of].pattern, { error: NAMES[of].problem });
export const namespace = name('namespace').describe('Lower-case letters, digits, `.`, `_` and `-`.');
export const runId = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, {
  error: 'is no id: a UUID in lower case, as the engine gave it',
});
export const taskQueue = name('taskQueue');
export const workflowType = name('workflowType');
export const version = name('version');
export const scheduleId = name('scheduleId');

const text = (max: number) =>
  z.string().min(1).max(max).regex(TEXT, { error: 'has control characters or lone surrogates' });
export const stepId = text(200);
export const externalId = text(MAX_EXTERNAL_ID);
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
export const toMs = (text: string): number => storableInstant(Date.parse(text));

export const lengthMs = z.int().min(0).max(MAX_DURATION_MS);
/** A time something is to happen at: no further ahead than a length may reach. */
export const futureMs = (text: string, now: number): number => Math.min(toMs(text), now + MAX_DURATION_MS);

/** A worker counts the times of its runs by it: its own clock may be wrong. */
export const serverTime = instant.describe('What time it was by the clock of the engine when it answered.');

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
export const scheduleParams = z.strictObject({ namespace, schedule_id: scheduleId });
export const workerParams = z.strictObject({ namespace, worker_id: runId });
export const noParams = z.strictObject({});
export const noQuery = z.strictObject({});

/** Query parameters are text. */
export const count = (max: number, fallback: number) =>
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
