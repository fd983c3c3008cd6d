import { DEFAULT_RETRY_POLICY } from '../../shared/model/retry-policy.ts';
import { newScheduleConfig, type Schedule } from '../../shared/model/schedule.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { backfillSchedule } from '../../shared/usecases/backfill-schedule.ts';
import { changeSchedule } from '../../shared/usecases/change-schedule.ts';
import { createSchedule } from '../../shared/usecases/create-schedule.ts';
import { deleteSchedule } from '../../shared/usecases/delete-schedule.ts';
import { getSchedule } from '../../shared/usecases/get-schedule.ts';
import { listFires, type ShownFire } from '../../shared/usecases/list-fires.ts';
import { listSchedules } from '../../shared/usecases/list-schedules.ts';
import { previewFires, previewSpec } from '../../shared/usecases/preview-fires.ts';
import { triggerSchedule } from '../../shared/usecases/trigger-schedule.ts';
import { refusing } from './refusing.ts';
import type { FireRecord, ScheduleRecord, ScheduleTransport, SkippedFires } from './schedule-transport.ts';

const PER_PAGE = 100;
const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

export function embeddedSchedules(engine: Engine, namespace: string): ScheduleTransport {
  const id = (scheduleId: string) => ({ namespace, scheduleId });
  return {
    create: (scheduleId, { config, input, enabled, pauseReason }) =>
      refusing(async () => {
        const { schedule } = await createSchedule(engine, {
          namespace,
          scheduleId,
          config: newScheduleConfig(config),
          input: input ?? undefined,
          enabled: enabled ?? true,
          pauseReason: pauseReason ?? undefined,
        });
        return show(schedule);
      }),
    get: (scheduleId) =>
      refusing(async () => {
        const { schedule, input } = await getSchedule(engine, id(scheduleId));
        return { ...show(schedule), input };
      }),
    list: (filter, pageToken) =>
      refusing(async () => {
        const page = await listSchedules(engine, { namespace, ...filter, pageSize: PER_PAGE, pageToken });
        return { items: page.schedules.map(show), nextPageToken: page.nextPageToken };
      }),
    update: (scheduleId, fields, revision) =>
      refusing(async () => show(await changeSchedule(engine, id(scheduleId), { ...fields, revision }))),
    delete: (scheduleId) => refusing(() => deleteSchedule(engine, id(scheduleId))),
    trigger: (scheduleId, overlap) =>
      refusing(async () => {
        const { outcome, runId, fire } = await triggerSchedule(engine, id(scheduleId), { overlap });
        return { outcome, runId, fireAt: new Date(fire.at) };
      }),
    backfill: (scheduleId, { from, to, overlap }) =>
      refusing(async () => {
        const range = { from: from.getTime(), to: to.getTime(), overlap };
        return (await backfillSchedule(engine, id(scheduleId), range)).fires;
      }),
    next: (scheduleId, count, after) =>
      refusing(async () => {
        const times = await previewFires(engine, id(scheduleId), { count, after: after?.getTime() });
        return times.map((at) => new Date(at));
      }),
    preview: (spec, count) =>
      refusing(async () => {
        const times = previewSpec(engine, newScheduleConfig({ spec }).spec, count);
        return Promise.resolve(times.map((at) => new Date(at)));
      }),
    history: (scheduleId, pageToken) =>
      refusing(async () => {
        const page = await listFires(engine, id(scheduleId), { pageSize: PER_PAGE, pageToken });
        return { items: page.fires.map(showFire), nextPageToken: page.nextPageToken };
      }),
  };
}

const show = (schedule: Schedule): ScheduleRecord => ({
  scheduleId: schedule.scheduleId,
  status: schedule.status,
  revision: schedule.revision,
  workflowType: schedule.workflowType,
  version: schedule.version,
  taskQueue: schedule.taskQueue,
  ...schedule.spec,
  startAt: date(schedule.spec.startAt),
  endAt: date(schedule.spec.endAt),
  maxCatchup: schedule.maxCatchup,
  catchupWindowMs: schedule.catchupWindowMs,
  overlap: schedule.overlap,
  retryPolicy: schedule.retryPolicy ?? DEFAULT_RETRY_POLICY,
  note: schedule.note,
  pauseReason: schedule.pauseReason,
  nextFireAt: date(schedule.status === 'PAUSED' ? null : schedule.nextFireAt),
  lastFiredAt: date(schedule.lastFiredAt),
  createdAt: new Date(schedule.createdAt),
  updatedAt: new Date(schedule.updatedAt),
  fired: schedule.fired,
  failed: schedule.failed,
  skipped: {
    ...schedule.skipped,
    last: schedule.lastSkip && showSkip(schedule.lastSkip, schedule.lastSkip.decidedAt),
  },
  buffered: schedule.buffer.length,
  running: schedule.running && { runId: schedule.running.runId, fireAt: new Date(schedule.running.fireAt) },
  lastError: schedule.lastError && {
    fireAt: new Date(schedule.lastError.fireAt),
    message: schedule.lastError.message,
  },
});

const showSkip = (skip: Extract<ShownFire, { what: 'skip' }>['skip'], decidedAt: number): SkippedFires => ({
  reason: skip.reason,
  count: skip.count,
  countCapped: skip.capped,
  from: new Date(skip.from),
  to: new Date(skip.to),
  decidedAt: new Date(decidedAt),
});

const showFire = (shown: ShownFire): FireRecord =>
  shown.what === 'skip'
    ? { what: 'skip', ...showSkip(shown.skip, shown.decidedAt) }
    : {
        what: 'fire',
        kind: shown.fire.kind,
        fireAt: new Date(shown.fire.at),
        externalId: shown.externalId,
        runId: shown.error === null ? shown.runId : null,
        runStatus: shown.run?.status ?? null,
        error: shown.error,
      };
