import { runIdFor } from '../model/ids.ts';
import { between } from '../model/missed-fires.ts';
import { type FirePlan, lookAhead, type PlanOptions, planFires } from '../model/plan-fires.ts';
import { isEnded } from '../model/run.ts';
import { comesAt, externalIdOf, type Schedule, type ScheduleId, scheduleDueAt } from '../model/schedule.ts';
import { fireTimes } from '../model/schedule-spec.ts';
import type { Key } from '../ports/table.ts';
import type { Engine } from '../store/engine.ts';
import { putFireRecords } from '../store/fire-records.ts';
import { headKey } from '../store/keys.ts';
import { readHeads, readRun } from '../store/run-head.ts';
import { armSchedule, type FireMessage } from '../store/schedule-timer.ts';
import { readSchedule, type ScheduleWrite, writeSchedule } from '../store/schedules.ts';
import { makeFires } from './make-fires.ts';

/** Runs that may still be started in this tick. */
export interface FireBudget {
  left: number;
}

/** So many fires are decided in one write. */
const FIRES_AT_ONCE = 100;
/** Fires under way are left to whoever decided them for so long. */
const UNDER_WAY_MS = 5_000;
/** A crash after a decision is found so soon. */
const SOON_MS = 2_000;

/** The watchdog found it due. */
export async function fireDueSchedule(engine: Engine, id: ScheduleId, budget: FireBudget): Promise<void> {
  const schedule = await readSchedule(engine, id);
  const now = engine.clock.now();
  // A row that lags behind its item asks for nothing.
  if (schedule === null || schedule.dueAt === null || schedule.dueAt > now) return;
  if (schedule.firing !== null && now - schedule.firing.since < UNDER_WAY_MS && now >= schedule.firing.since) return;
  await fireSchedule(engine, schedule, budget);
}

/** The time of a fire has come, or so it is said. */
export async function handleFireMessage(engine: Engine, message: FireMessage): Promise<void> {
  const schedule = await readSchedule(engine, message);
  if (schedule === null || schedule.generation !== message.generation) return;
  // Of a time that is not the next: somebody else was faster, or the schedule was changed.
  if (message.at !== undefined && message.at !== schedule.nextFireAt) return;
  const comes = comesAt(schedule);
  if (message.at !== undefined && comes !== null && comes > engine.clock.now()) return armSchedule(engine, schedule);
  await fireSchedule(engine, schedule, { left: engine.config.firesPerTick });
}

/** Decides about all fires whose time has come and makes them, as far as the budget goes. Null if the schedule is gone. */
export async function fireSchedule(
  engine: Engine,
  seen: Schedule,
  budget: FireBudget,
  options: Pick<PlanOptions, 'holdsBack'> = {},
): Promise<Schedule | null> {
  let schedule: Schedule | null = seen;
  while (schedule !== null) {
    if (schedule.firing !== null) {
      schedule = await makeFires(engine, schedule);
      continue;
    }
    if (budget.left <= 0) return schedule;
    const decision = await decideFires(engine, schedule, { ...options, budget });
    // Without a plan, or without room for one: others may have used it up.
    if (decision === null) return budget.left <= 0 ? schedule : watchAgain(engine, schedule);
    schedule = decision.write.ok ? decision.write.schedule : decision.write.current;
  }
  return null;
}

export interface Decision {
  readonly plan: FirePlan;
  readonly write: ScheduleWrite;
}

/**
 * What is decided is written before anything is started: from then on whoever comes across the schedule, be it to
 * change it, first makes these fires.
 */
export async function decideFires(
  engine: Engine,
  schedule: Schedule,
  { budget, ...options }: Pick<PlanOptions, 'trigger' | 'holdsBack'> & { readonly budget: FireBudget },
): Promise<Decision | null> {
  const now = engine.clock.now();
  const most = Math.min(FIRES_AT_ONCE, budget.left);
  const isOpen = await isRunOpen(engine, schedule);
  const ran = await timesThatRan(engine, schedule, { limit: most, isOpen });
  const limit = Math.min(most, budget.left);
  if (limit <= 0) return null;
  const plan = planFires(schedule, { ...options, limit, now, isOpen, ran });
  if (plan === null) return null;
  // At once: others decide beside this one.
  budget.left -= plan.fires.length;
  await putFireRecords(
    engine,
    schedule,
    plan.skips.map((skip) => ({ what: 'skip', decidedAt: now, skip })),
  );
  const write = await writeSchedule(engine, schedule, changeOf(schedule, plan, { now, isOpen }));
  if (!write.ok) budget.left += plan.fires.length;
  const skipped = plan.skips.reduce((sum, { count }) => sum + count, 0);
  if (write.ok && skipped > 0) engine.telemetry.count('schedule_fires_skipped', skipped);
  if (write.ok && plan.fires.length === 0) await armSchedule(engine, write.schedule);
  return { plan, write };
}

/**
 * Whether the run that holds the schedule's place still does. It may have been deleted, or have ended without a word;
 * and what somebody else has started under its external id is no run of the schedule, and not to be cancelled for it.
 */
async function isRunOpen(engine: Engine, { namespace, scheduleId, running }: Schedule): Promise<boolean> {
  const run = running === null ? null : await readRun(engine, { namespace, runId: running.runId });
  return run !== null && run.scheduleId === scheduleId && !isEnded(run);
}

/** Of what the backfills come to next: fired again it would count twice, or cancel its own run to take its place. */
async function timesThatRan(
  engine: Engine,
  schedule: Schedule,
  options: Pick<PlanOptions, 'limit' | 'isOpen'>,
): Promise<ReadonlySet<number>> {
  const { namespace, spec, backfills } = schedule;
  const times = backfills.flatMap((backfill) => {
    const most = lookAhead(schedule, backfill, options);
    return between(fireTimes(backfill.spec ?? spec), backfill.cursor, backfill.to, most);
  });
  const keyOf = (at: number): Key =>
    headKey({ namespace, runId: runIdFor(namespace, externalIdOf(schedule, { kind: 'backfill', at })) });
  const keys = new Map([...new Set(times)].map((at) => [at, keyOf(at)]));
  const heads = await readHeads(engine, [...keys.values()], { consistent: true });
  return new Set([...keys].flatMap(([at, { pk }]) => (heads.has(pk) ? [at] : [])));
}

function changeOf(schedule: Schedule, plan: FirePlan, { now, isOpen }: { now: number; isOpen: boolean }) {
  const { cursor, nextFireAt, buffer, backfills, holder, skips } = plan;
  const count = (reason: 'catchup' | 'overlap'): number =>
    skips.reduce((sum, skip) => sum + (skip.reason === reason ? skip.count : 0), schedule.skipped[reason]);
  const last = skips.at(-1);
  const held = isOpen ? schedule.running : null;
  const runIdOf = (fire: NonNullable<FirePlan['holder']>): string =>
    runIdFor(schedule.namespace, externalIdOf(schedule, fire));
  const state = {
    cursor,
    nextFireAt,
    buffer,
    backfills,
    running: holder === null ? held : { runId: runIdOf(holder), fireAt: holder.at },
    skipped: { catchup: count('catchup'), overlap: count('overlap') },
    lastSkip: last === undefined ? schedule.lastSkip : { ...last, decidedAt: now },
  };
  if (plan.fires.length === 0) return { state, due: scheduleDueAt({ ...schedule, ...state }, now) };
  const cancels = plan.cancels ? (schedule.running?.runId ?? null) : null;
  const isFoundSoon = schedule.dueAt !== null && schedule.dueAt <= now + SOON_MS;
  return {
    state: { ...state, firing: { fires: plan.fires, cancels, tells: plan.tells, since: now } },
    due: isFoundSoon ? ('keep' as const) : now + SOON_MS,
  };
}

/** Nothing to do now: a row that came up moves to when there is. */
async function watchAgain(engine: Engine, schedule: Schedule): Promise<Schedule | null> {
  const now = engine.clock.now();
  if (schedule.dueAt === null || schedule.dueAt > now) return schedule;
  const write = await writeSchedule(engine, schedule, { due: scheduleDueAt(schedule, now) });
  return write.ok ? write.schedule : write.current;
}
