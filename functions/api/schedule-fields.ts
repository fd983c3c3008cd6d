import * as z from 'zod';
import { MAX_EXPRESSION } from '../../shared/model/cron-expression.ts';
import {
  DEFAULT_CATCHUP_WINDOW_MS,
  DEFAULT_MAX_CATCHUP,
  DEFAULT_OVERLAP,
  MAX_CATCHUP,
  newScheduleConfig,
  OVERLAP_POLICIES,
  type ScheduleConfig,
} from '../../shared/model/schedule.ts';
import { MAX_EXPRESSIONS, type ScheduleSpec } from '../../shared/model/schedule-spec.ts';
import { policyFromWire } from '../../shared/model/wire-policy.ts';
import { instant, lengthMs, payload, reason, shortText, taskQueue, toMs, version, workflowType } from './fields.ts';
import { retryPolicy } from './retry-policy-field.ts';

const expression = z.string().min(1).max(MAX_EXPRESSION);
const cronExpr = z
  .union([expression, z.array(expression).max(MAX_EXPRESSIONS)])
  .describe('Five fields, six with seconds first, or a nickname such as `@daily`; one, or a list.');
const interval = z.strictObject({
  every_ms: lengthMs.describe('Whole seconds.'),
  offset_ms: lengthMs.default(0).describe('After the multiples of `every_ms` since 1970.'),
});
const intervals = z.array(interval).max(MAX_EXPRESSIONS);
const timezone = z.string().min(1).max(64).describe('IANA name; for cron expressions.');
const jitterMs = lengthMs.describe('A fire comes up to this much after its time, but before the next one.');
const maxCatchup = z
  .int()
  .min(0)
  .max(MAX_CATCHUP)
  .describe('After an outage the newest so many of the missed fires are made; 0 is none.');
const catchupWindowMs = lengthMs.describe('What was missed longer ago is not made.');
export const overlapPolicy = z.enum(OVERLAP_POLICIES).describe('What happens to a fire while a run is still open.');

/** Of a new schedule. */
export const scheduleFields = {
  workflow_type: workflowType,
  task_queue: taskQueue.default('default'),
  version: version.default('1'),
  input: payload.optional(),
  retry_policy: retryPolicy.optional(),
  cron_expr: cronExpr.default([]),
  intervals: intervals.default([]),
  timezone: timezone.default('UTC'),
  start_at: instant.optional().describe('Inclusive.'),
  end_at: instant.optional().describe('Inclusive.'),
  jitter_ms: jitterMs.default(0),
  max_catchup: maxCatchup.default(DEFAULT_MAX_CATCHUP),
  catchup_window_ms: catchupWindowMs.default(DEFAULT_CATCHUP_WINDOW_MS),
  overlap_policy: overlapPolicy.default(DEFAULT_OVERLAP),
  enabled: z.boolean().default(true).describe('False makes it PAUSED.'),
  note: shortText.optional(),
  pause_reason: reason.optional(),
};

/** What is not given stays as it is; null takes it away. */
export const scheduleChanges = {
  workflow_type: workflowType.optional(),
  task_queue: taskQueue.optional(),
  version: version.optional(),
  input: payload.nullable().optional(),
  retry_policy: retryPolicy.nullable().optional(),
  cron_expr: cronExpr.optional(),
  intervals: intervals.optional(),
  timezone: timezone.optional(),
  start_at: instant.nullable().optional(),
  end_at: instant.nullable().optional(),
  jitter_ms: jitterMs.optional(),
  max_catchup: maxCatchup.optional(),
  catchup_window_ms: catchupWindowMs.optional(),
  overlap_policy: overlapPolicy.optional(),
  enabled: z.boolean().optional(),
  note: shortText.nullable().optional(),
  pause_reason: reason.nullable().optional(),
};

type Changes = z.output<z.ZodObject<typeof scheduleChanges>>;

const timeOf = (given: string | null | undefined): number | null | undefined =>
  given === null || given === undefined ? given : toMs(given);

/** What is undefined was not given. */
export const configFromWire = (given: Changes) => ({
  spec: {
    cron: typeof given.cron_expr === 'string' ? [given.cron_expr] : given.cron_expr,
    intervals: given.intervals?.map(({ every_ms, offset_ms }) => ({ everyMs: every_ms, offsetMs: offset_ms })),
    timeZone: given.timezone,
    startAt: timeOf(given.start_at),
    endAt: timeOf(given.end_at),
    jitterMs: given.jitter_ms,
  },
  workflowType: given.workflow_type,
  version: given.version,
  taskQueue: given.task_queue,
  retryPolicy: given.retry_policy ? policyFromWire(given.retry_policy) : given.retry_policy,
  maxCatchup: given.max_catchup,
  catchupWindowMs: given.catchup_window_ms,
  overlap: given.overlap_policy,
  note: given.note,
});

/** When a new schedule fires. */
export const newSpec = (given: Changes): ScheduleSpec => newScheduleConfig(configFromWire(given)).spec;

/** Of fields that have defaults or are nothing if not given. */
export const newConfig = (given: z.output<z.ZodObject<typeof scheduleFields>>): ScheduleConfig =>
  newScheduleConfig(configFromWire(given));
