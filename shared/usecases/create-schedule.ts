import { KagziError } from '../model/errors.ts';
import { nameProblem } from '../model/names.ts';
import { type Schedule, type ScheduleConfig, scheduleDueAt } from '../model/schedule.ts';
import { fireTimes } from '../model/schedule-spec.ts';
import type { Engine } from '../store/engine.ts';
import type { PayloadText } from '../store/payloads.ts';
import { checkScheduleInput, dropInput, storeScheduleInput } from '../store/schedule-input.ts';
import { armSchedule } from '../store/schedule-timer.ts';
import { putSchedule } from '../store/schedules.ts';
import { noteTaskQueue } from '../store/seen.ts';
import { requireSchedulable } from './schedule-request.ts';

export interface CreateSchedule {
  readonly namespace: string;
  readonly scheduleId?: string | undefined;
  /** Chosen by the caller for this one call: sent again with it, it finds the schedule that it made. */
  readonly requestId?: string | undefined;
  readonly config: ScheduleConfig;
  readonly input?: PayloadText | undefined;
  readonly enabled: boolean;
  readonly pauseReason?: string | undefined;
}

export interface CreatedSchedule {
  readonly schedule: Schedule;
  readonly alreadyExists: boolean;
}

export async function createSchedule(engine: Engine, request: CreateSchedule): Promise<CreatedSchedule> {
  const { namespace, config, enabled } = request;
  const now = engine.clock.now();
  const scheduleId = request.scheduleId ?? engine.ids.uuid(now);
  const problem = nameProblem('namespace', namespace) ?? nameProblem('scheduleId', scheduleId);
  if (problem !== null) throw new KagziError('INVALID_ARGUMENT', `The schedule cannot be created: ${problem}.`);
  await requireSchedulable(engine, config);
  checkScheduleInput(request.input);
  const nextFireAt = fireTimes(config.spec).next(now);
  if (nextFireAt === null) {
    throw new KagziError('INVALID_ARGUMENT', 'This is no schedule: it ends before it would fire for the first time.');
  }
  await noteTaskQueue(engine, namespace, config.taskQueue);
  const generation = engine.ids.writeId();
  const fresh: Schedule = {
    ...config,
    namespace,
    scheduleId,
    generation,
    revision: 1,
    writes: 1,
    requestId: request.requestId ?? null,
    status: enabled ? 'SCHEDULED' : 'PAUSED',
    pauseReason: enabled ? null : (request.pauseReason ?? null),
    input: await storeScheduleInput(engine, { namespace, scheduleId, generation }, request.input),
    createdAt: now,
    updatedAt: now,
    cursor: now,
    nextFireAt,
    lastFiredAt: null,
    running: null,
    buffer: [],
    firing: null,
    backfills: [],
    fired: 0,
    skipped: { catchup: 0, overlap: 0 },
    lastSkip: null,
    failed: 0,
    lastError: null,
    writeId: generation,
    dueAt: null,
  };
  const { created, schedule } = await putSchedule(engine, { ...fresh, dueAt: scheduleDueAt(fresh, now) });
  if (!created) await dropInput(engine, fresh, fresh.input);
  if (created) await armSchedule(engine, schedule);
  else if (request.requestId === undefined || schedule.requestId !== request.requestId) {
    throw new KagziError('SCHEDULE_EXISTS', `There is a schedule "${scheduleId}" already.`, {
      schedule_id: scheduleId,
    });
  }
  return { schedule, alreadyExists: !created };
}
