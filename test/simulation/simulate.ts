import { thisHost } from '../../sdk/host.ts';
import { isEnded } from '../../shared/model/run.ts';
import { HEAD } from '../../shared/store/keys.ts';
import { decodeRun } from '../../shared/store/run-item.ts';
import type { Rescue } from './invariants/rescues.ts';
import type { Violation } from './invariants/rules.ts';
import { verifyEnds, verifyRest } from './invariants/verify.ts';
import { Random } from './kernel/random.ts';
import { Clients, NAMESPACES, type Plan, planRuns, type WorkloadOptions } from './workload/clients.ts';
import { longestSleepMs } from './workload/program.ts';
import type { FaultKind, FaultLimits } from './world/fault-plan.ts';
import { Fleet, type FleetOptions, type WorkerKind } from './world/fleet.ts';
import { World, type WorldOptions } from './world/world.ts';

export interface SimulateOptions extends WorkloadOptions {
  readonly seed: number;
  readonly limits?: FaultLimits;
  readonly single?: WorldOptions['single'];
  readonly mirror?: WorldOptions['mirror'];
  /** Instead of what the seed draws. */
  readonly plans?: readonly Plan[];
  readonly fleet?: Partial<FleetOptions>;
  readonly print?: boolean;
}

export interface SeedReport {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  readonly faultCount: number;
  readonly rescues: Readonly<Partial<Record<Rescue, number>>>;
  readonly virtualMs: number;
  readonly runs: number;
  readonly steps: number;
  readonly calls: number;
  /** Calls at which a single fault could have struck. */
  readonly faultCalls: number;
  readonly struck: string | null;
  readonly hash: string;
  readonly trace: readonly string[];
}

const KINDS: readonly (readonly WorkerKind[])[] = [
  ['direct'],
  ['lambda'],
  ['poll'],
  ['direct', 'poll'],
  ['lambda', 'poll'],
  ['direct', 'lambda'],
];
const MINUTE = 60_000;
/** Leases, resent dispatches at their rarest, timers that were set late before the faults ended, some backoff. */
const HEAL_SLACK_MS = 2 * 60 * MINUTE;
/** More of them in one play show nothing new, and cost the time of many plays. */
const ENOUGH_FAULTS = 200;
/** A step, a start, an end: none may cost more calls than this on average, whatever goes wrong. */
const MAX_CALLS_PER_STEP = 40;

/** Nobody has the code of a run: it is offered again and again, though rarely. */
const MAX_CALLS_PER_HOUR = 100;

/** Replays are patient in real time too, which does not pass here. */
thisHost.clock.sleep = () => Promise.resolve();

/** One play: faults by chance for a while, then none, and everything must come to its end. */
export async function simulate(options: SimulateOptions): Promise<SeedReport> {
  const { seed } = options;
  const world = new World(options);
  world.kernel.trace.print = options.print === true;
  const random = new Random(seed, 'workload');
  const plans = options.plans ?? planRuns(random, options);
  const kinds = random.pick(KINDS);
  const fleet = new Fleet(world, {
    namespaces: NAMESPACES.filter((name) => plans.some(({ namespace }) => namespace === name)),
    kinds,
    watchdogs: random.int(1, 2),
    copies: kinds.length > 1 ? 1 : random.int(1, 2),
    maxConcurrent: random.int(1, 3),
    mixedVersions: random.chance(0.4),
    ...options.fleet,
  });
  const clients = new Clients(world, fleet.network, plans);
  const { kernel, faults, rules } = world;
  const broken = (): boolean => rules.violations.length > 0;
  const ended = (): boolean => clients.areDone && world.open.size === 0;
  const start = kernel.now;
  const longest = Math.max(
    ...plans.map(({ program, delayMs, cancel }) => longestSleepMs(program) + delayMs + (cancel?.afterMs ?? 0)),
  );
  const faultsUntil = start + random.int(5 * MINUTE, Math.max(30 * MINUTE, Math.round(longest * 1.1)));
  const onStray = (error: unknown): void =>
    rules.violate('STRAY', `an unhandled rejection: ${String((error as Error)?.stack ?? error)}`);
  process.on('unhandledRejection', onStray);
  try {
    await kernel.run(() => broken() || ended() || faults.total >= ENOUGH_FAULTS, faultsUntil);
    faults.heal();
    fleet.heal();
    rules.recovery.healed();
    if (!broken()) {
      const how = await kernel.run(() => broken() || ended(), kernel.now + longest + HEAL_SLACK_MS);
      if (how !== 'done')
        rules.violate(
          'I1',
          `not everything ended: ${how} at ${new Date(kernel.now).toISOString()}: ${leftOver(world)}`,
        );
    }
    // What is still on its way comes to nothing.
    if (!broken()) await kernel.run(broken, kernel.now + HEAL_SLACK_MS);
    if (!broken()) {
      verifyRest(world);
      await verifyEnds(world, clients.asked);
      verifyCost(world);
    }
  } finally {
    process.off('unhandledRejection', onStray);
  }
  return {
    seed,
    violations: rules.violations,
    faults: faults.counts,
    faultCount: faults.total,
    rescues: rules.rescues,
    virtualMs: kernel.elapsed,
    runs: world.table.everywhere(HEAD).length,
    steps: stepCount(world),
    calls: rules.calls,
    faultCalls: faults.calls,
    struck: faults.struck,
    hash: kernel.trace.hash,
    trace: kernel.trace.lines,
  };
}

const stepCount = (world: World): number => world.table.count((item) => item.sk.startsWith('step#'));

function leftOver(world: World): string {
  return world.table
    .everywhere(HEAD)
    .map(decodeRun)
    .filter((run) => !isEnded(run))
    .map(
      (run) =>
        `${run.runId} ${run.status} epoch ${run.epoch} due ${run.dueAt === null ? 'never' : new Date(run.dueAt).toISOString()}`,
    )
    .join('; ');
}

/** I17, over the whole play: watchdog, polls, heartbeats and everything that was tried again included. */
function verifyCost(world: World): void {
  const units = stepCount(world) + 5 * world.table.everywhere(HEAD).length + world.faults.total;
  const { calls } = world.rules;
  const hours = world.kernel.elapsed / 3_600_000;
  if (calls > MAX_CALLS_PER_STEP * units + MAX_CALLS_PER_HOUR * hours) {
    world.rules.violate('I17', `${calls} calls for ${units} steps, runs and faults`);
  }
}
