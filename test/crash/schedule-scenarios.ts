import { KagziError } from '../../shared/model/errors.ts';
import { isEnded } from '../../shared/model/run.ts';
import { newScheduleConfig, type OverlapPolicy, type Schedule, scheduleDueAt } from '../../shared/model/schedule.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { decodeRun } from '../../shared/store/run-item.ts';
import { readSchedule } from '../../shared/store/schedules.ts';
import { backfillSchedule } from '../../shared/usecases/backfill-schedule.ts';
import { changeSchedule, type ScheduleUpdate } from '../../shared/usecases/change-schedule.ts';
import { createSchedule } from '../../shared/usecases/create-schedule.ts';
import { deleteSchedule } from '../../shared/usecases/delete-schedule.ts';
import { decideFires } from '../../shared/usecases/fire-schedule.ts';
import { triggerSchedule } from '../../shared/usecases/trigger-schedule.ts';
import { Violation } from './ledger.ts';
import { NAMESPACE } from './place.ts';
import { PollWorker } from './poll-worker.ts';
import type { Scenario, World } from './world.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ID = { namespace: NAMESPACE, scheduleId: 'report' };

/** Time begins at 2027-01-15T08:00:00Z; what is of that day comes again in a year. */
const today = (minutes: string, hour = '8'): string => `${minutes} ${hour} 15 1 *`;
const firedAt = (time: string, day = '2027-01-15'): string => `report:${day}T${time}:00Z`;

interface Expected {
  /** External ids of all runs there are in the end. */
  readonly runs: readonly string[];
  readonly skipped?: Partial<Schedule['skipped']>;
  /** Null: the schedule is gone. */
  readonly schedule?: Partial<Schedule> | null;
  /** A run starts when the one before has ended. */
  readonly oneByOne?: boolean;
}

interface ScheduleScenario extends Expected {
  readonly name: string;
  readonly minCalls: number;
  readonly cron: readonly string[];
  readonly overlap?: OverlapPolicy;
  readonly maxCatchup?: number;
  readonly runTakesMs?: number;
  /** A creation that is late would bring back what was deleted since: nobody can know that it was not meant so. */
  readonly isSafelyMade?: boolean;
  /** Between the creation and the first fire, or whatever else is to be seen to first. */
  readonly act?: (world: World) => Promise<void>;
  /** Over and over while time passes. */
  readonly meanwhile?: (world: World) => Promise<void>;
}

const currentOf = (world: World): Promise<Schedule | null> => readSchedule(world.observer, ID);
const runsOf = async (world: World) => (await world.options.store.heads()).map(decodeRun);

function scheduleScenario(parts: ScheduleScenario): Scenario {
  const { name, minCalls, cron, runTakesMs = 0 } = parts;
  const config = newScheduleConfig({
    workflowType: 'report',
    spec: { cron },
    overlap: parts.overlap,
    maxCatchup: parts.maxCatchup,
  });
  return {
    name,
    minCalls,
    worker: (world) =>
      new PollWorker(world, {
        scripts: {
          report: async (run) => {
            if (runTakesMs > 0) await run.sleep('long', runTakesMs);
            return JSON.stringify(await run.step('print'));
          },
        },
      }),
    async play(world) {
      const create = async (): Promise<void> => {
        const request = { ...ID, config, requestId: 'create', enabled: true, input: '"eu"' };
        await world.client((engine) => createSchedule(engine, request));
      };
      await (parts.isSafelyMade === true ? unharmed(world, create) : create());
      await parts.act?.(world);
      await world.drive(async () => {
        await parts.meanwhile?.(world);
        return isDone(world, parts);
      });
    },
    verify: (world) => verify(world, parts),
  };
}

async function isDone(world: World, { runs }: Expected): Promise<boolean> {
  const schedule = await currentOf(world);
  // Whoever looks for what is under way does so each second; time must not leap over them.
  if (schedule?.firing || (schedule?.dueAt ?? Number.POSITIVE_INFINITY) <= world.now()) await world.pass(SECOND);
  if (schedule !== null && (schedule.firing !== null || schedule.buffer.length + schedule.backfills.length > 0)) {
    return false;
  }
  if (schedule?.status === 'SCHEDULED' && (schedule.nextFireAt ?? 0) < world.startedAt + 86_400_000) return false;
  const found = await runsOf(world);
  return found.length >= runs.length && found.every(isEnded);
}

/** Every fire ran, once, and the schedule is watched. */
async function verify(world: World, expected: Expected): Promise<void> {
  const runs = (await runsOf(world)).sort((a, b) => a.createdAt - b.createdAt);
  const names = runs.map(({ externalId }) => externalId ?? '').sort();
  same('the runs', names, [...expected.runs].sort());
  for (const { fireAt, createdAt } of runs) {
    if (fireAt === null || createdAt < fireAt) throw new Violation(`a fire of ${fireAt} came at ${createdAt}`);
  }
  if (expected.oneByOne === true) {
    for (const [index, run] of runs.entries()) {
      const before = runs[index - 1];
      if (before !== undefined && isEnded(before) && before.finishedAt > run.createdAt)
        throw new Violation(`${run.externalId} began before the one before it had ended`);
    }
  }
  const schedule = await currentOf(world);
  if (expected.schedule === null || schedule === null) return same('the schedule', schedule, expected.schedule);
  const { firing, buffer, backfills, fired, failed, skipped } = schedule;
  same('what is left', { firing, buffer, backfills, failed }, { firing: null, buffer: [], backfills: [], failed: 0 });
  same('the skipped', skipped, { catchup: 0, overlap: 0, ...expected.skipped });
  same('the count of fires', fired, runs.length);
  for (const [name, value] of Object.entries(expected.schedule ?? {})) {
    same(name, schedule[name as keyof Schedule], value);
  }
  same('its due time', schedule.dueAt, scheduleDueAt(schedule, world.now()));
}

function same(what: string, found: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== should) throw new Violation(`${what}: ${is}, not ${should}`);
}

/** Spared by faults. */
async function unharmed(world: World, act: () => Promise<void>): Promise<void> {
  world.options.faults.disarm();
  await act();
  world.options.faults.arm();
}

/** Somebody has decided about the fire of 08:10, and is gone. */
const decided = (world: World): Promise<void> =>
  unharmed(world, async () => {
    await world.options.store.advance(10 * MINUTE);
    const schedule = await currentOf(world);
    if (schedule === null) throw new Violation('there is no schedule');
    const decision = await decideFires(world.observer, schedule, { budget: { left: 100 } });
    if (decision?.write.ok !== true || decision.write.schedule.firing === null)
      throw new Violation('nothing was decided');
  });

/** A client asks again; that what it asks for is done already is an answer too. */
async function ask(world: World, request: (engine: Engine) => Promise<unknown>): Promise<void> {
  try {
    await world.client(request);
  } catch (error) {
    if (!(error instanceof KagziError) || error.code !== 'SCHEDULE_NOT_FOUND') throw error;
  }
}

const changes =
  (update: Partial<ScheduleUpdate>) =>
  async (world: World): Promise<void> => {
    await decided(world);
    await ask(world, (engine) => changeSchedule(engine, ID, { config: {}, ...update }));
  };

const backfills = (overlap?: OverlapPolicy) => async (world: World) => {
  await decided(world);
  const [from, to] = ['2026-01-15T08:10:00Z', '2026-01-15T08:30:00Z'].map(Date.parse) as [number, number];
  await ask(world, (engine) => backfillSchedule(engine, ID, { from, to, overlap }));
};
const BACKFILLED = ['08:10', '08:20', '08:30'].map((time) => firedAt(time, '2026-01-15'));

/** The message that asks for a wake-up is lost, and so the watchdog fires. */
const losesTimers = (world: World): Promise<void> => world.observer.timers.cancel(`${NAMESPACE}#report`);

export const FIRING: readonly Scenario[] = [
  scheduleScenario({
    name: 'fires by a message and by a timer',
    minCalls: 40,
    cron: [today('10,40')],
    runs: [firedAt('08:10'), firedAt('08:40')],
  }),
  scheduleScenario({
    name: 'fires by the watchdog',
    minCalls: 40,
    cron: [today('20,40')],
    meanwhile: losesTimers,
    runs: [firedAt('08:20'), firedAt('08:40')],
  }),
  scheduleScenario({
    name: 'fires after an outage',
    minCalls: 60,
    cron: [today('*/5')],
    maxCatchup: 3,
    act: (world) => unharmed(world, () => world.options.store.advance(46 * MINUTE)),
    runs: ['08:35', '08:40', '08:45', '08:50', '08:55'].map((time) => firedAt(time)),
    skipped: { catchup: 6 },
  }),
];

const RACE = { cron: [today('10-12')], runTakesMs: 10 * MINUTE };

export const OVERLAPPING: readonly Scenario[] = [
  scheduleScenario({
    ...RACE,
    name: 'fires that wait for each other',
    minCalls: 80,
    overlap: 'buffer_all',
    runs: ['08:10', '08:11', '08:12'].map((time) => firedAt(time)),
    oneByOne: true,
  }),
  scheduleScenario({
    ...RACE,
    name: 'fires of which one waits',
    minCalls: 60,
    overlap: 'buffer_one',
    runs: ['08:10', '08:11'].map((time) => firedAt(time)),
    skipped: { overlap: 1 },
    oneByOne: true,
  }),
  scheduleScenario({
    ...RACE,
    name: 'fires that are left out',
    minCalls: 30,
    overlap: 'skip',
    runs: [firedAt('08:10')],
    skipped: { overlap: 2 },
  }),
  scheduleScenario({
    ...RACE,
    name: 'fires that cancel each other',
    minCalls: 60,
    overlap: 'cancel_other',
    runs: ['08:10', '08:11', '08:12'].map((time) => firedAt(time)),
  }),
];

export const ASKED_FOR: readonly Scenario[] = [
  scheduleScenario({
    name: 'an update while fires are under way',
    minCalls: 30,
    cron: [today('10,20')],
    act: changes({ config: { spec: { cron: [today('30')] } } }),
    runs: ['08:10', '08:30'].map((time) => firedAt(time)),
  }),
  scheduleScenario({
    name: 'a pause while fires are under way',
    minCalls: 20,
    cron: [today('10,20')],
    act: changes({ enabled: false }),
    runs: [firedAt('08:10')],
    schedule: { status: 'PAUSED', dueAt: null },
  }),
  scheduleScenario({
    name: 'a deletion while fires are under way',
    minCalls: 10,
    isSafelyMade: true,
    cron: [today('10,20')],
    act: async (world) => {
      await decided(world);
      await ask(world, (engine) => deleteSchedule(engine, ID));
    },
    runs: [firedAt('08:10')],
    schedule: null,
  }),
  scheduleScenario({
    name: 'a trigger while fires are under way',
    minCalls: 40,
    cron: [today('10,20')],
    act: async (world) => {
      await decided(world);
      await ask(world, (engine) => triggerSchedule(engine, ID, { requestId: 'now' }));
    },
    runs: [firedAt('08:10'), firedAt('08:20'), 'report:trigger:now'],
  }),
  scheduleScenario({
    name: 'a backfill while fires are under way',
    minCalls: 50,
    cron: [today('10,20,30')],
    act: backfills(),
    runs: [...['08:10', '08:20', '08:30'].map((time) => firedAt(time)), ...BACKFILLED],
  }),
  scheduleScenario({
    name: 'a backfill one by one',
    minCalls: 50,
    cron: [today('10,20,30')],
    overlap: 'buffer_all',
    runTakesMs: 20 * SECOND,
    act: backfills(),
    runs: [...['08:10', '08:20', '08:30'].map((time) => firedAt(time)), ...BACKFILLED],
    oneByOne: true,
  }),
];
