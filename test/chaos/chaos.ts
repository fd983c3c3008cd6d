import { setMaxListeners } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../sdk/index.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';
import { SeededRandom } from '../helpers/seeded-random.ts';
import { bundleScripts } from './bundle-scripts.ts';
import { CUTS, CuttingProxy } from './cutting-proxy.ts';
import { EngineHost } from './engine-host.ts';
import { FaultBudget } from './fault-budget.ts';
import { judge, type Verdict } from './judge.ts';
import { readLedgers } from './ledger.ts';
import { Load } from './load.ts';
import { readRecords } from './records.ts';
import { storeProblems } from './store-problems.ts';
import { WorkerFleet } from './worker-fleet.ts';

export interface ChaosOptions {
  /** SIGKILLs of workers that hold a run. */
  readonly kills: number;
  /** SIGKILLs of the engine's process while it writes. */
  readonly stores: number;
  /** SIGSTOPs beyond the lease, of workers that hold a run and of the engine's process. */
  readonly stops: number;
  /** Connections cut after a request was forwarded. */
  readonly cuts: number;
  readonly runs: number;
  /** Repeats the programs and the order of faults; what they meet is a matter of real time, and does not repeat. */
  readonly seed: number;
  readonly deadlineMs: number;
  readonly say: (line: string) => void;
}

export interface ChaosResult {
  readonly seed: number;
  readonly kills: number;
  /** Workers that held nothing when they were killed: not counted above. */
  readonly idleKills: number;
  readonly stops: number;
  /** Frozen workers of which another had got a run by the time they were thawed. */
  readonly overtaken: number;
  readonly stores: number;
  readonly cuts: number;
  /** Started by the driver, and acknowledged. */
  readonly runs: number;
  readonly children: number;
  readonly steps: number;
  readonly lost: number;
  readonly doubled: number;
  readonly reexecuted: number;
  readonly seconds: number;
  /** Everything that is wrong, in words; empty if all is well. */
  readonly problems: readonly string[];
}

const WORKERS = 5;
const RUNS_PER_WORKER = 6;
const RUNS_INSIDE = 24;
const MAX_OPEN = 64;
const LOOK_MS = 200;
const SAY_MS = 5_000;
const FREEZE_MS = [2_200, 3_500] as const;
/** Every so manieth stop freezes the engine's process instead of a worker's. */
const ENGINE_STOPS = 5;
const ENGINE_FAULTS_UNTIL = 0.6;
const CUT_CHANCE = 0.05;
const LEASES = {
  KAGZI_LEASE_SECS: '2',
  KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: '1',
  KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS: '2',
  KAGZI_SHUTDOWN_GRACE_SECS: '1',
  KAGZI_LOG_LEVEL: 'error',
};

/** Kills, freezes and cuts off real processes under load, lets them recover, and compares what they did with what is recorded. */
export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const directory = temporaryDirectory();
  try {
    return await chaosIn(directory, options);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function chaosIn(directory: string, options: ChaosOptions): Promise<ChaosResult> {
  const startedAt = performance.now();
  const [ledgers, dataDir] = [join(directory, 'ledgers'), join(directory, 'store')];
  mkdirSync(ledgers);
  const scripts = await bundleScripts(join(directory, 'scripts'));
  const random = (name: string): SeededRandom => new SeededRandom(options.seed, name);
  const ending = deadline(options.deadlineMs);
  const { signal } = ending;

  const progress = (): number => load.progress;
  // A run whose message died with the engine waits half a minute for the next: not at the very end, if possible.
  const early = (): number => Math.min(1, load.progress / ENGINE_FAULTS_UNTIL);
  const engineStops = Math.floor(options.stops / ENGINE_STOPS);
  const budgets = {
    kills: new FaultBudget(options.kills, progress),
    stops: new FaultBudget(options.stops - engineStops, progress),
    engineStops: new FaultBudget(engineStops, early),
    stores: new FaultBudget(options.stores, early),
    cuts: new FaultBudget(options.cuts, progress),
  };
  const areSpent = (): boolean => Object.values(budgets).every(({ isSpent }) => isSpent);

  const cutting = random('cuts');
  const proxy = await CuttingProxy.listen({
    decide: () => (budgets.cuts.isDue && cutting.chance(CUT_CHANCE) ? cutting.pick(CUTS) : null),
    onCut: () => budgets.cuts.count(),
  });
  const given = { dataDir, ledgers, taskQueue: 'inside', maxConcurrent: RUNS_INSIDE, env: LEASES };
  const engine = new EngineHost({
    script: scripts.engine,
    proxy,
    given,
    signal,
    onDeath: (error) => ending.abort(error),
  });
  const load = new Load({
    url: proxy.url,
    engineUrl: () => engine.url,
    random: random('programs'),
    runs: options.runs,
    maxOpen: MAX_OPEN,
    signal,
  });
  const fleet = new WorkerFleet({
    script: scripts.worker,
    given: { url: proxy.url, ledgers, taskQueue: 'polled', maxConcurrent: RUNS_PER_WORKER },
    random: random('workers'),
    kills: budgets.kills,
    stops: budgets.stops,
    freezeMs: FREEZE_MS,
    holderOf: (runId) => holderOf(engine.url, runId),
    signal,
  });

  let isOver = false;
  const hurtEngine = async (): Promise<void> => {
    const chance = random('engine');
    while (!budgets.stores.isSpent || !budgets.engineStops.isSpent) {
      if (budgets.stores.isDue)
        await budgets.stores.spend(async () => engine.killWhileWriting(chance).then(() => true));
      if (budgets.engineStops.isDue)
        await budgets.engineStops.spend(async () => engine.freeze(chance.between(...FREEZE_MS)).then(() => true));
      await delay(LOOK_MS, undefined, { signal });
    }
  };
  const watch = async (): Promise<void> => {
    for (let saidAt = 0; !isOver; await delay(LOOK_MS, undefined, { signal })) {
      await load.look();
      if (performance.now() - saidAt < SAY_MS) continue;
      saidAt = performance.now();
      options.say(progressLine(startedAt, load, budgets));
    }
  };
  const settle = async (): Promise<void> => {
    await Promise.all([load.run(() => !areSpent()), hurtEngine()]);
    fleet.calm();
    options.say(`${progressLine(startedAt, load, budgets)}; no more faults, waiting for what is open`);
    while ((await load.look()) > 0) await delay(LOOK_MS, undefined, { signal });
    isOver = true;
  };

  try {
    await engine.start();
    await Promise.all([fleet.run(WORKERS), watch(), settle()]);
    const verdict = await judgeAll(engine.url, load, ledgers);
    await fleet.end();
    await engine.stop();
    const problems = [
      ...problemsOf(verdict),
      ...load.renamed.map((externalId) => `${externalId} named two runs`),
      ...storeProblems(dataDir),
    ];
    return {
      seed: options.seed,
      kills: budgets.kills.done,
      idleKills: fleet.idleKills,
      stops: budgets.stops.done + budgets.engineStops.done,
      overtaken: fleet.overtaken,
      stores: budgets.stores.done,
      cuts: budgets.cuts.done,
      runs: load.acknowledged.length,
      children: verdict.runs - load.acknowledged.length,
      steps: verdict.steps,
      lost: new Set(verdict.lost.map(({ runId }) => runId)).size,
      doubled: verdict.doubled.length,
      reexecuted: verdict.reexecuted,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      problems,
    };
  } catch (error) {
    const seen = `${progressLine(startedAt, load, budgets)}\n${engine.output}${fleet.output}`;
    throw new Error(`Chaos with seed ${options.seed} did not come to its end: ${reasonOf(error)}\n${seen}`, {
      cause: error,
    });
  } finally {
    ending.abort();
    await fleet.end();
    await engine.kill();
    await proxy.close();
  }
}

function deadline(ms: number): AbortController {
  const controller = new AbortController();
  // Everything that waits listens to it.
  setMaxListeners(0, controller.signal);
  const reason = new Error(`the deadline of ${Math.round(ms / 1000)} s has passed`);
  setTimeout(() => controller.abort(reason), ms).unref();
  return controller;
}

async function holderOf(url: string, runId: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/v1/default/runs/${runId}`, { signal: AbortSignal.timeout(1_000) });
    return ((await response.json()) as { readonly locked_by: string | null }).locked_by;
  } catch {
    return null;
  }
}

async function judgeAll(url: string, load: Load, ledgers: string): Promise<Verdict> {
  const client = createClient({ url });
  const { acknowledged } = load;
  const records = await readRecords(
    client,
    acknowledged.map(({ runId }) => runId),
  );
  const listed: string[] = [];
  for await (const { runId } of client.list()) listed.push(runId);
  return judge({ acknowledged, records, listed, lines: readLedgers(ledgers) });
}

const problemsOf = ({ lost, doubled, keys }: Verdict): string[] => [
  ...lost.map(({ runId, what }) => `lost: ${runId} ${what}`),
  ...doubled.map(({ runId, what }) => `doubled: ${runId} ${what}`),
  ...keys.map(({ runId, what }) => `key: ${runId} ${what}`),
];

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
};

function progressLine(startedAt: number, load: Load, budgets: Readonly<Record<string, FaultBudget>>): string {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const faults = Object.entries(budgets).map(([kind, { done, total }]) => `${kind} ${done}/${total}`);
  return `${seconds} s: ${load.acknowledged.length} runs started, ${load.open} open; ${faults.join(', ')}`;
}
