import * as z from 'zod';
import { RUN_STATUSES } from '../../shared/model/run.ts';
import { externalIdOf, OVERLAP_POLICIES, SCHEDULE_STATUSES, type Schedule } from '../../shared/model/schedule.ts';
import type { ShownFire } from '../../shared/usecases/list-fires.ts';
import { instant, payload } from './fields.ts';
import { shownPolicy, shownPolicyOf } from './retry-policy-field.ts';
import { jsonField, time, timeOrNull } from './run-view.ts';

const fireKind = z.enum(['cron', 'backfill', 'trigger']);
const skipFields = {
  reason: z.enum(['catchup', 'overlap']),
  count: z.int(),
  count_capped: z.boolean().describe('There were more than were counted.'),
  from: instant,
  to: instant,
};

export const scheduleView = z.strictObject({
  schedule_id: z.string(),
  namespace: z.string(),
  status: z.enum(SCHEDULE_STATUSES),
  enabled: z.boolean(),
  revision: z.int().describe('Counts the changes that were made to it.'),
  workflow_type: z.string(),
  version: z.string(),
  task_queue: z.string(),
  retry_policy: shownPolicy,
  cron_expr: z.array(z.string()),
  intervals: z.array(z.strictObject({ every_ms: z.int(), offset_ms: z.int() })),
  timezone: z.string(),
  start_at: instant.nullable(),
  end_at: instant.nullable(),
  jitter_ms: z.int(),
  max_catchup: z.int(),
  catchup_window_ms: z.int(),
  overlap_policy: z.enum(OVERLAP_POLICIES),
  note: z.string().nullable(),
  pause_reason: z.string().nullable(),
  next_fire_at: instant.nullable().describe('Without jitter. Null if it is paused or has ended.'),
  last_fired_at: instant.nullable().describe('The time for which it last started a run.'),
  created_at: instant,
  updated_at: instant,
  fired: z.int(),
  failed: z.int().describe('Fires whose run could not be started.'),
  skipped: z.strictObject({
    catchup: z.int().describe('Missed, and beyond what is caught up.'),
    overlap: z.int().describe('A run was still open.'),
    last: z.strictObject({ ...skipFields, decided_at: instant }).nullable(),
  }),
  last_error: z.strictObject({ fire_at: instant, message: z.string() }).nullable(),
  running: z
    .strictObject({ run_id: z.string(), fire_at: instant })
    .nullable()
    .describe('Whose end the policy is about. Answers to changes may show one that has ended since.'),
  buffered: z.array(z.strictObject({ kind: fireKind, fire_at: instant, external_id: z.string() })),
  backfills: z.array(z.strictObject({ done_until: instant, to: instant, overlap_policy: z.enum(OVERLAP_POLICIES) })),
});

export const scheduleWithInput = scheduleView.extend({ input: payload.optional() });

export function showSchedule(schedule: Schedule) {
  const { spec, skipped, lastSkip, lastError, running } = schedule;
  return {
    schedule_id: schedule.scheduleId,
    namespace: schedule.namespace,
    status: schedule.status,
    enabled: schedule.status === 'SCHEDULED',
    revision: schedule.revision,
    workflow_type: schedule.workflowType,
    version: schedule.version,
    task_queue: schedule.taskQueue,
    retry_policy: shownPolicyOf(schedule.retryPolicy),
    cron_expr: [...spec.cron],
    intervals: spec.intervals.map(({ everyMs, offsetMs }) => ({ every_ms: everyMs, offset_ms: offsetMs })),
    timezone: spec.timeZone,
    start_at: timeOrNull(spec.startAt),
    end_at: timeOrNull(spec.endAt),
    jitter_ms: spec.jitterMs,
    max_catchup: schedule.maxCatchup,
    catchup_window_ms: schedule.catchupWindowMs,
    overlap_policy: schedule.overlap,
    note: schedule.note,
    pause_reason: schedule.pauseReason,
    next_fire_at: schedule.status === 'PAUSED' ? null : timeOrNull(schedule.nextFireAt),
    last_fired_at: timeOrNull(schedule.lastFiredAt),
    created_at: time(schedule.createdAt),
    updated_at: time(schedule.updatedAt),
    fired: schedule.fired,
    failed: schedule.failed,
    skipped: {
      ...skipped,
      last: lastSkip === null ? null : { ...showSkip(lastSkip), decided_at: time(lastSkip.decidedAt) },
    },
    last_error: lastError === null ? null : { fire_at: time(lastError.fireAt), message: lastError.message },
    running: running === null ? null : { run_id: running.runId, fire_at: time(running.fireAt) },
    buffered: schedule.buffer.map((fire) => ({
      kind: fire.kind,
      fire_at: time(fire.at),
      external_id: externalIdOf(schedule, fire),
    })),
    backfills: schedule.backfills.map(({ cursor, to, overlap }) => ({
      done_until: time(Math.max(0, cursor)),
      to: time(to),
      overlap_policy: overlap,
    })),
  } satisfies z.output<typeof scheduleView>;
}

export const showScheduleWithInput = (schedule: Schedule, input: string | undefined) => ({
  ...showSchedule(schedule),
  ...jsonField('input', input),
});

const showSkip = ({ reason, count, capped, from, to }: NonNullable<Schedule['lastSkip']> | SkipOf) => ({
  reason,
  count,
  count_capped: capped,
  from: time(from),
  to: time(to),
});
type SkipOf = Extract<ShownFire, { readonly what: 'skip' }>['skip'];

export const fireView = z.discriminatedUnion('what', [
  z.strictObject({
    what: z.literal('fire'),
    kind: fireKind,
    fire_at: instant,
    decided_at: instant,
    external_id: z.string(),
    run_id: z.string().nullable(),
    run_status: z.enum(RUN_STATUSES).nullable().describe('Null if the run was not started, or is no longer kept.'),
    error: z.string().nullable().describe('Why the run could not be started.'),
  }),
  z.strictObject({ what: z.literal('skip'), decided_at: instant, ...skipFields }),
]);

export function showFire(shown: ShownFire): z.output<typeof fireView> {
  if (shown.what === 'skip') return { what: 'skip', decided_at: time(shown.decidedAt), ...showSkip(shown.skip) };
  return {
    what: 'fire',
    kind: shown.fire.kind,
    fire_at: time(shown.fire.at),
    decided_at: time(shown.decidedAt),
    external_id: shown.externalId,
    run_id: shown.error === null ? shown.runId : null,
    run_status: shown.run?.status ?? null,
    error: shown.error,
  };
}
