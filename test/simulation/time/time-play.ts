import { CONTROL_QUEUE, type Delivery } from '../../../shared/ports/queue.ts';
import { createEngine, type Engine } from '../../../shared/store/engine.ts';
import { HEAD } from '../../../shared/store/keys.ts';
import { backfillSchedule } from '../../../shared/usecases/backfill-schedule.ts';
import { changeSchedule } from '../../../shared/usecases/change-schedule.ts';
import { claimRun } from '../../../shared/usecases/claim-run.ts';
import { comeBack } from '../../../shared/usecases/come-back.ts';
import { completeRun } from '../../../shared/usecases/complete-run.ts';
import { createSchedule } from '../../../shared/usecases/create-schedule.ts';
import { handleControl } from '../../../shared/usecases/handle-control.ts';
import { leaseOf } from '../../../shared/usecases/lease.ts';
import { readRunMessage } from '../../../shared/usecases/run-message.ts';
import { sleepRun } from '../../../shared/usecases/sleep-run.ts';
import { triggerSchedule } from '../../../shared/usecases/trigger-schedule.ts';
import type { Violation } from '../invariants/rules.ts';
import { Random } from '../kernel/random.ts';
import { EventSource } from '../world/event-source.ts';
import type { FaultPlan } from '../world/fault-plan.ts';
import { TASK_QUEUE } from '../world/fleet.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { Watchdogs } from '../world/watchdogs.ts';
import { World } from '../world/world.ts';
import { TimeRules } from './time-rules.ts';
import { timeSchedules } from './time-schedules.ts';
import { Weather } from './weather.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NAMESPACE = 'shop';
/** What has ended is removed after this long: longer than any outage, after which a backfill still looks for its runs. */
const KEPT_MS = 5 * DAY;
const HEAL_MS = 6 * HOUR;
const MAX_NAPS = 6;

export interface TimeReport {
  readonly seed: number;
  readonly fires: number;
  readonly wakes: number;
  readonly skips: number;
  readonly outages: number;
  readonly faults: FaultPlan['counts'];
  readonly virtualDays: number;
  readonly hash: string;
  readonly violations: readonly Violation[];
}

/** Schedules and sleeps for a long time, with faults on every port; then none, and all must be accounted for. */
export async function playTime(seed: number, virtualMs: number, fires: number): Promise<TimeReport> {
  const world = new World({ seed });
  const { kernel, faults, rules } = world;
  const time = new TimeRules(rules);
  world.onItem = (before, after) => time.wrote(before, after, world.writer);
  const random = new Random(seed, 'time');
  const watchdogs = new Watchdogs(world, 2);
  const until = kernel.now + virtualMs;
  const weather = new Weather(world, watchdogs, new Random(seed, 'weather'), until);
  const sources = [
    source(world, weather, CONTROL_QUEUE, (engine, { body }) => handleControl(engine, body)),
    source(world, weather, TASK_QUEUE, (engine, delivery, process) => work(world, time, engine, delivery, process)),
  ];
  world.queue.onChange = () => {
    for (const one of sources) one.look();
  };
  const untouched = new Set<string>();
  for (const { id, config, isUntouched } of timeSchedules(random, virtualMs, fires)) {
    await createSchedule(createEngine(world.parts), { namespace: NAMESPACE, scheduleId: id, config, enabled: true });
    if (isUntouched) untouched.add(id);
    else meddle(world, time, id, random, until);
  }
  const sweep = (): void => {
    removeEnded(world);
    if (kernel.now < until + HEAL_MS) kernel.plan(HOUR, sweep);
  };
  kernel.plan(HOUR, sweep);
  // The worker here gives a run up at the first fault, so that whoever takes it over is right to.
  const found = (): readonly Violation[] => rules.violations.filter(({ invariant }) => invariant !== 'I16');
  const broken = (): boolean => found().length > 0;
  await kernel.run(broken, until);
  faults.heal();
  if (!broken()) await kernel.run(broken, until + HEAL_MS);
  if (!broken()) {
    time.verify(untouched);
    time.verifyHeads(world.table.everywhere(HEAD), kernel.now);
  }
  return {
    seed,
    fires: time.fires,
    wakes: time.wakes,
    skips: time.skips,
    outages: weather.outages,
    faults: faults.counts,
    virtualDays: Math.round(kernel.elapsed / DAY),
    hash: kernel.trace.hash,
    violations: found(),
  };
}

type Serve = (engine: Engine, delivery: Delivery, process: SimProcess) => Promise<void>;

/** A Lambda function behind a queue: one message at a time, another process when the one before has died. */
function source(world: World, weather: Weather, queue: string, serve: Serve): EventSource {
  let current: { readonly process: SimProcess; readonly engine: Engine } | null = null;
  const invoke = async (deliveries: readonly Delivery[]): Promise<readonly Delivery[]> => {
    if (weather.isDown) return [];
    if (current?.process.isAlive !== true) {
      const process = world.spawn(queue === CONTROL_QUEUE ? 'wake' : 'direct');
      current = { process, engine: process.engine() };
    }
    const { process, engine } = current;
    const served: Delivery[] = [];
    for (const delivery of deliveries) {
      try {
        await process.settle(serve(engine, delivery, process));
        served.push(delivery);
      } catch (error) {
        // Its message comes again.
        if (!isExpected(error)) rules(world, error);
      }
    }
    return served;
  };
  return new EventSource(world, { queue, batch: 5, visibilityMs: MINUTE, concurrency: 2, timeoutMs: MINUTE, invoke });
}

const isExpected = (error: unknown): boolean =>
  String(error).includes('injected') || (error as { code?: string }).code === 'LEASE_LOST';
const rules = (world: World, error: unknown): void => world.rules.violate('WAKE', String((error as Error).stack));

/** Each run sleeps one to six times, one after the other, then ends. */
async function work(world: World, time: TimeRules, engine: Engine, delivery: Delivery, process: SimProcess) {
  const message = readRunMessage(delivery.body);
  if (message === null) return;
  const claim = await claimRun(engine, message, { owner: process.name, session: null });
  if (claim.outcome === 'early') return comeBack(engine, TASK_QUEUE, delivery, claim.at);
  if (claim.outcome !== 'claimed') return;
  const { runId } = claim.run;
  const lease = leaseOf(claim.run);
  const wakeTimes = new Map(
    claim.history.flatMap((step) => (step.status === 'SLEEPING' ? [[step.stepId, step.wakeAt]] : [])),
  );
  const naps = 1 + (Number.parseInt(runId.slice(-4), 16) % MAX_NAPS);
  for (let nap = 1; nap <= naps; nap++) {
    const stepId = `nap-${nap}`;
    let wakeAt = wakeTimes.get(stepId);
    if (wakeAt === undefined || wakeAt > engine.clock.now()) {
      const answer = await sleepRun(engine, lease, { stepId, until: wakeAt ?? engine.clock.now() + napMs(world) });
      if (!answer.elapsed) return;
      wakeAt = answer.wakeAt;
    }
    time.woke(`${runId} ${stepId}`, wakeAt, process);
  }
  await completeRun(engine, lease, undefined);
}

const napMs = ({ chance }: World): number =>
  chance.chance(0.05) ? chance.magnitude(1, 2 * DAY) : chance.magnitude(1, 20 * MINUTE);

/** Of a backfill. It ends before the time of any clock that is wrong. */
const RANGE_MS = DAY;
const AGO_MS = 11 * MINUTE;

/** People change a schedule while it fires: what is acknowledged must count from then on. */
function meddle(world: World, time: TimeRules, scheduleId: string, random: Random, until: number): void {
  const { kernel } = world;
  const id = { namespace: NAMESPACE, scheduleId };
  const told = { version: 1, isPaused: false };
  time.acknowledged.set(scheduleId, told);
  let version = 1;
  const act = async (): Promise<void> => {
    const engine = world.spawn('api').engine();
    const paused = told.isPaused;
    const to = kernel.now - AGO_MS;
    try {
      if (random.chance(0.15)) await triggerSchedule(engine, id, {});
      else if (random.chance(0.2)) await backfillSchedule(engine, id, { from: to - RANGE_MS, to });
      else if (paused) {
        told.isPaused = false;
        await changeSchedule(engine, id, { config: {}, enabled: true });
      } else if (random.chance(0.5)) {
        await changeSchedule(engine, id, { config: {}, enabled: false });
        told.isPaused = true;
      } else {
        version += 1;
        await changeSchedule(engine, id, { config: { version: String(version) } });
        told.version = version;
      }
    } catch (error) {
      if (!String(error).includes('injected') && !String(error).includes('are under way')) rules(world, error);
    }
  };
  const again = (): void => {
    if (kernel.now > until) return;
    void act();
    kernel.plan(random.magnitude(MINUTE, 10 * DAY), again);
  };
  kernel.plan(random.magnitude(MINUTE, DAY), again);
}

function removeEnded(world: World): void {
  const before = world.kernel.now - KEPT_MS;
  const ended = world.table.everywhere(HEAD).filter((head) => Number(head['c2'] ?? Number.POSITIVE_INFINITY) < before);
  if (ended.length > 0) world.table.forget(new Set(ended.map(({ pk }) => pk)));
}
