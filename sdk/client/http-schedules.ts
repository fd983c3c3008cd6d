import { randomUUID } from 'node:crypto';
import type { ScheduleConfig, ScheduleStatus, SkipReason } from '../../shared/model/schedule.ts';
import { policyFromWire, policyToWire, type WirePolicy } from '../../shared/model/wire-policy.ts';
import type { HttpApi } from './http-api.ts';
import type {
  FireRecord,
  GivenSpec,
  ScheduleFields,
  ScheduleRecord,
  ScheduleTransport,
  SkippedFires,
  Triggered,
} from './schedule-transport.ts';
import { date, jsonOf, textOf } from './wire-values.ts';

interface WireSkip {
  readonly reason: SkipReason;
  readonly count: number;
  readonly count_capped: boolean;
  readonly from: string;
  readonly to: string;
  readonly decided_at: string;
}

interface WireSchedule {
  readonly schedule_id: string;
  readonly status: ScheduleStatus;
  readonly revision: number;
  readonly workflow_type: string;
  readonly version: string;
  readonly task_queue: string;
  readonly cron_expr: readonly string[];
  readonly intervals: readonly { readonly every_ms: number; readonly offset_ms: number }[];
  readonly timezone: string;
  readonly start_at: string | null;
  readonly end_at: string | null;
  readonly jitter_ms: number;
  readonly max_catchup: number;
  readonly catchup_window_ms: number;
  readonly overlap_policy: ScheduleConfig['overlap'];
  readonly note: string | null;
  readonly pause_reason: string | null;
  readonly next_fire_at: string | null;
  readonly last_fired_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly fired: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<SkipReason, number>> & { readonly last: WireSkip | null };
  readonly buffered: readonly unknown[];
  readonly retry_policy: WirePolicy;
  readonly running: { readonly run_id: string; readonly fire_at: string } | null;
  readonly last_error: { readonly fire_at: string; readonly message: string } | null;
  readonly input?: unknown;
}

type WireFire =
  | {
      readonly what: 'fire';
      readonly kind: Extract<FireRecord, { readonly what: 'fire' }>['kind'];
      readonly fire_at: string;
      readonly external_id: string;
      readonly run_id: string | null;
      readonly run_status: Extract<FireRecord, { readonly what: 'fire' }>['runStatus'];
      readonly error: string | null;
    }
  | ({ readonly what: 'skip' } & WireSkip);

const PER_PAGE = 100;

export function httpSchedules(api: HttpApi): ScheduleTransport {
  const one = (scheduleId: string): string => `/schedules/${encodeURIComponent(scheduleId)}`;
  return {
    async create(scheduleId, fields) {
      // So that a call whose answer was lost can be sent again.
      const body = { schedule_id: scheduleId, request_id: randomUUID(), ...toWire(fields) };
      return show(await api.call<WireSchedule>({ path: '/schedules', body }));
    },
    get: async (scheduleId) => show(await api.call<WireSchedule>({ path: one(scheduleId) })),
    async list({ taskQueue, workflowType, status }, pageToken) {
      const query = { task_queue: taskQueue, workflow_type: workflowType, status };
      const page = await api.call<{ schedules: WireSchedule[]; next_page_token: string | null }>({
        path: '/schedules',
        query: { ...query, page_size: PER_PAGE, page_token: pageToken },
      });
      return { items: page.schedules.map(show), nextPageToken: page.next_page_token };
    },
    async update(scheduleId, fields, revision) {
      const body = { ...toWire(fields), revision };
      return show(await api.call<WireSchedule>({ method: 'PATCH', path: one(scheduleId), body }));
    },
    delete: (scheduleId) => api.call<void>({ method: 'DELETE', path: one(scheduleId) }),
    async trigger(scheduleId, overlap) {
      const body = { request_id: randomUUID(), overlap_policy: overlap };
      const answer = await api.call<{ outcome: Triggered['outcome']; run_id: string | null; fire_at: string }>({
        path: `${one(scheduleId)}/trigger`,
        body,
      });
      return { outcome: answer.outcome, runId: answer.run_id, fireAt: new Date(answer.fire_at) };
    },
    async backfill(scheduleId, { from, to, overlap }) {
      const body = { from: from.toISOString(), to: to.toISOString(), overlap_policy: overlap };
      return (await api.call<{ fires: number }>({ path: `${one(scheduleId)}/backfill`, body })).fires;
    },
    async next(scheduleId, count, after) {
      const query = { count, after: after?.toISOString() };
      const { fire_times } = await api.call<{ fire_times: string[] }>({ path: `${one(scheduleId)}/next`, query });
      return fire_times.map((text) => new Date(text));
    },
    async preview(spec, count) {
      const { cron_expr, intervals, timezone, start_at, end_at } = specToWire(spec);
      const body = {
        cron_expr,
        intervals,
        timezone,
        start_at: start_at ?? undefined,
        end_at: end_at ?? undefined,
        count,
      };
      const { fire_times } = await api.call<{ fire_times: string[] }>({ path: '/schedules/preview', body });
      return fire_times.map((text) => new Date(text));
    },
    async history(scheduleId, pageToken) {
      const page = await api.call<{ fires: WireFire[]; next_page_token: string | null }>({
        path: `${one(scheduleId)}/history`,
        query: { page_size: PER_PAGE, page_token: pageToken },
      });
      return { items: page.fires.map(showFire), nextPageToken: page.next_page_token };
    },
  };
}

const instantOf = (ms: number | null | undefined): string | null | undefined =>
  ms === null || ms === undefined ? ms : new Date(ms).toISOString();

const specToWire = (spec: GivenSpec) => ({
  cron_expr: spec.cron,
  intervals: spec.intervals?.map(({ everyMs, offsetMs }) => ({ every_ms: everyMs, offset_ms: offsetMs })),
  timezone: spec.timeZone,
  start_at: instantOf(spec.startAt),
  end_at: instantOf(spec.endAt),
  jitter_ms: spec.jitterMs,
});

function toWire({ config, input, enabled, pauseReason }: ScheduleFields) {
  const { spec = {}, retryPolicy } = config;
  return {
    workflow_type: config.workflowType,
    version: config.version,
    task_queue: config.taskQueue,
    retry_policy: retryPolicy ? policyToWire(retryPolicy) : retryPolicy,
    ...specToWire(spec),
    max_catchup: config.maxCatchup,
    catchup_window_ms: config.catchupWindowMs,
    overlap_policy: config.overlap,
    note: config.note,
    input: input === null ? null : jsonOf(input),
    enabled,
    pause_reason: pauseReason,
  };
}

const show = (schedule: WireSchedule): ScheduleRecord => ({
  scheduleId: schedule.schedule_id,
  status: schedule.status,
  revision: schedule.revision,
  workflowType: schedule.workflow_type,
  version: schedule.version,
  taskQueue: schedule.task_queue,
  cron: schedule.cron_expr,
  intervals: schedule.intervals.map(({ every_ms, offset_ms }) => ({ everyMs: every_ms, offsetMs: offset_ms })),
  timeZone: schedule.timezone,
  startAt: date(schedule.start_at),
  endAt: date(schedule.end_at),
  jitterMs: schedule.jitter_ms,
  maxCatchup: schedule.max_catchup,
  catchupWindowMs: schedule.catchup_window_ms,
  overlap: schedule.overlap_policy,
  note: schedule.note,
  pauseReason: schedule.pause_reason,
  nextFireAt: date(schedule.next_fire_at),
  lastFiredAt: date(schedule.last_fired_at),
  createdAt: new Date(schedule.created_at),
  updatedAt: new Date(schedule.updated_at),
  fired: schedule.fired,
  failed: schedule.failed,
  skipped: { ...schedule.skipped, last: schedule.skipped.last && showSkip(schedule.skipped.last) },
  buffered: schedule.buffered.length,
  retryPolicy: policyFromWire(schedule.retry_policy),
  running: schedule.running && { runId: schedule.running.run_id, fireAt: new Date(schedule.running.fire_at) },
  lastError: schedule.last_error && {
    fireAt: new Date(schedule.last_error.fire_at),
    message: schedule.last_error.message,
  },
  input: textOf(schedule.input),
});

const showSkip = (skip: WireSkip): SkippedFires => ({
  reason: skip.reason,
  count: skip.count,
  countCapped: skip.count_capped,
  from: new Date(skip.from),
  to: new Date(skip.to),
  decidedAt: new Date(skip.decided_at),
});

const showFire = (fire: WireFire): FireRecord =>
  fire.what === 'skip'
    ? { what: 'skip', ...showSkip(fire) }
    : {
        what: 'fire',
        kind: fire.kind,
        fireAt: new Date(fire.fire_at),
        externalId: fire.external_id,
        runId: fire.run_id,
        runStatus: fire.run_status,
        error: fire.error,
      };
