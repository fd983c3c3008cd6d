import { KagziError } from '../model/errors.ts';
import type { Fire } from '../model/fire.ts';
import { comesAt, externalIdOf, type Firing, type Schedule, scheduleDueAt } from '../model/schedule.ts';
import type { Engine } from '../store/engine.ts';
import { putFireRecords } from '../store/fire-records.ts';
import { MissingPayloadError, type PayloadText } from '../store/payloads.ts';
import { readRun } from '../store/run-head.ts';
import { loadScheduleInput } from '../store/schedule-input.ts';
import { armSchedule } from '../store/schedule-timer.ts';
import { readSchedule, writeSchedule } from '../store/schedules.ts';
import { cancelOpen } from './end-run.ts';
import { startRun } from './start-run.ts';

const AT_ONCE = 16;
const MAX_ERROR = 256;

type Input = { readonly text: PayloadText | undefined } | { readonly missing: string };

interface Made {
  readonly fire: Fire;
  readonly error: string | null;
  /** How long after its time it was started, if it was started just now. */
  readonly lagMs: number | null;
}

/**
 * Starts the runs that were decided, then says so. A crash in between repeats it: each start finds the run that it made.
 * Answers the schedule as it is then; null if it is gone.
 */
export async function makeFires(engine: Engine, schedule: Schedule): Promise<Schedule | null> {
  const { firing } = schedule;
  if (firing === null) return schedule;
  const input = await inputOf(engine, schedule);
  if (input === null) return readSchedule(engine, schedule);
  if (firing.cancels !== null) await makeRoom(engine, schedule, firing.cancels);
  const made: Made[] = [];
  for (let start = 0; start < firing.fires.length; start += AT_ONCE) {
    const some = firing.fires.slice(start, start + AT_ONCE);
    made.push(...(await Promise.all(some.map((fire) => startFire(engine, schedule, firing, fire, input)))));
  }
  const records = made.map(({ fire, error }) => ({ what: 'fire', decidedAt: firing.since, fire, error }) as const);
  await putFireRecords(engine, schedule, records);
  return settleFires(engine, schedule, made);
}

/** Null if somebody has changed the schedule since. Lost for good, it must not keep people from changing or deleting it. */
async function inputOf(engine: Engine, schedule: Schedule): Promise<Input | null> {
  try {
    return { text: await loadScheduleInput(engine, schedule) };
  } catch (error) {
    if (!(error instanceof MissingPayloadError)) throw error;
    const current = await readSchedule(engine, schedule);
    const isSame = current?.generation === schedule.generation && current.writes === schedule.writes;
    return isSame ? { missing: error.message } : null;
  }
}

async function makeRoom(engine: Engine, { namespace }: Schedule, runId: string): Promise<void> {
  const run = await readRun(engine, { namespace, runId });
  if (run !== null) await cancelOpen(engine, run, 'a later fire of its schedule took its place');
}

/** What can never be started must not stand in the way of the next fire: it is recorded, and that is all. */
async function startFire(
  engine: Engine,
  schedule: Schedule,
  { tells }: Firing,
  fire: Fire,
  input: Input,
): Promise<Made> {
  if ('missing' in input) return { fire, error: input.missing, lagMs: null };
  const { namespace, scheduleId, workflowType, version, taskQueue, retryPolicy } = schedule;
  try {
    const { run, alreadyExists } = await startRun(engine, {
      namespace,
      workflowType,
      version,
      taskQueue,
      externalId: externalIdOf(schedule, fire),
      fired: { scheduleId, fireAt: fire.at, tells },
      ...(input.text === undefined ? {} : { input: input.text }),
      ...(retryPolicy === null ? {} : { retryPolicy }),
    });
    const comes = fire.kind === 'cron' ? comesAt({ ...schedule, status: 'SCHEDULED', nextFireAt: fire.at }) : null;
    return { fire, error: null, lagMs: alreadyExists || comes === null ? null : Math.max(0, run.createdAt - comes) };
  } catch (error) {
    if (!(error instanceof KagziError)) throw error;
    engine.telemetry.log('error', 'a fire of a schedule could not be made', {
      namespace,
      schedule_id: scheduleId,
      code: error.code,
    });
    return { fire, error: error.message.slice(0, MAX_ERROR), lagMs: null };
  }
}

async function settleFires(engine: Engine, schedule: Schedule, made: readonly Made[]): Promise<Schedule | null> {
  const started = made.filter(({ error }) => error === null);
  const failed = made.findLast(({ error }) => error !== null);
  const times = started.flatMap(({ fire }) => (fire.kind === 'backfill' ? [] : [fire.at]));
  const state = {
    firing: null,
    fired: schedule.fired + started.length,
    failed: schedule.failed + made.length - started.length,
    lastFiredAt: times.length === 0 ? schedule.lastFiredAt : Math.max(schedule.lastFiredAt ?? 0, ...times),
    ...(failed?.error ? { lastError: { fireAt: failed.fire.at, message: failed.error } } : {}),
  };
  const due = scheduleDueAt(schedule, engine.clock.now());
  const write = await writeSchedule(engine, schedule, { state, due });
  if (!write.ok) return write.current;
  engine.telemetry.count('schedules_fired', started.length, { workflow_type: schedule.workflowType });
  engine.telemetry.count(
    'schedule_lag_ms',
    made.reduce((sum, { lagMs }) => sum + (lagMs ?? 0), 0),
  );
  await armSchedule(engine, write.schedule);
  return write.schedule;
}
