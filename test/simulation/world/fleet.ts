import type { StepInfo } from '../../../sdk/context.ts';
import { startEmbeddedWorker } from '../../../sdk/worker/embedded-worker.ts';
import { type LambdaHandler, lambdaHandler } from '../../../sdk/worker/lambda-worker.ts';
import { startPollWorker } from '../../../sdk/worker/poll-worker.ts';
import { Registry } from '../../../sdk/worker/registry.ts';
import { CONTROL_QUEUE, type Delivery, deadLetterQueue } from '../../../shared/ports/queue.ts';
import type { Engine } from '../../../shared/store/engine.ts';
import { HEAD } from '../../../shared/store/keys.ts';
import { handleControl } from '../../../shared/usecases/handle-control.ts';
import { recordDeadLetter } from '../../../shared/usecases/record-dead-letter.ts';
import { programWorkflow, type Stage } from '../workload/interpret.ts';
import { VERSIONS } from '../workload/program.ts';
import { EventSource } from './event-source.ts';
import { API_URL, Network } from './network.ts';
import type { SimProcess } from './sim-process.ts';
import { Watchdogs } from './watchdogs.ts';
import type { World } from './world.ts';

export const TASK_QUEUE = 'default';
export type WorkerKind = 'direct' | 'lambda' | 'poll';

export interface FleetOptions {
  readonly namespaces: readonly string[];
  readonly kinds: readonly WorkerKind[];
  readonly watchdogs: number;
  /** Workers of each kind that stays, per namespace. */
  readonly copies: number;
  /** Runs at a time, of each of them. */
  readonly maxConcurrent: number;
  /** Whether some workers lack the newer version. */
  readonly mixedVersions: boolean;
}

/** No two plays share one: the SDK remembers which of them this process has had. */
let pids = 0;
const LAMBDA_MS = 120_000;
const LOOK_MS = 10_000;
const IDLE_AHEAD_MS = 20_000;
/** A deployment is over by then. */
const MAX_DEPLOY_MS = 3_600_000;

interface Standing {
  readonly process: SimProcess;
  readonly kind: 'direct' | 'poll';
  readonly namespace: string;
  readonly stop: () => Promise<unknown>;
}

/** Everything that serves runs, replaced when it dies, scaled to nothing while there is nothing to do. */
export class Fleet {
  readonly network: Network;
  readonly #standing = new Set<Standing>();
  readonly #warm: { readonly process: SimProcess; readonly handler: LambdaHandler }[] = [];
  readonly #wake: { process: SimProcess; engine: Engine }[] = [];
  readonly #sources: EventSource[];
  #executions = 0;
  #spawned = 0;
  #supervised = false;
  #deploying: boolean;

  constructor(
    private readonly world: World,
    private readonly options: FleetOptions,
  ) {
    this.network = new Network(world, 2);
    this.#deploying = options.mixedVersions;
    if (options.mixedVersions) world.kernel.plan(world.chance.magnitude(60_000, MAX_DEPLOY_MS), () => this.heal());
    new Watchdogs(world, options.watchdogs);
    const control = { batch: 10, visibilityMs: 60_000, concurrency: 2, timeoutMs: 60_000 };
    this.#sources = [
      new EventSource(world, { ...control, queue: CONTROL_QUEUE, invoke: (all) => this.#control(all) }),
      new EventSource(world, { ...control, queue: deadLetterQueue(TASK_QUEUE), invoke: (all) => this.#bury(all) }),
    ];
    if (options.kinds.includes('lambda')) {
      this.#sources.push(
        new EventSource(world, {
          queue: TASK_QUEUE,
          batch: world.chance.int(1, 3),
          visibilityMs: 6 * LAMBDA_MS,
          concurrency: 3,
          timeoutMs: LAMBDA_MS,
          invoke: (all) => this.#invoke(all),
        }),
      );
    }
    world.queue.onChange = () => {
      for (const source of this.#sources) source.look();
      this.#supervise();
    };
  }

  /** What a worker's code tells the rules. */
  #stage(process: SimProcess, limit: number): Stage {
    const { rules } = this.world;
    return {
      body: async (run, step, info: StepInfo, { takesMs, atMostOnce }) => {
        rules.bodyStarts(process, run, step, info.idempotencyKey, atMostOnce);
        const ended = rules.works(process, run, limit);
        const execution = ++this.#executions;
        try {
          if (takesMs > 0) await process.clock.sleep(takesMs, info.signal);
        } finally {
          ended();
        }
        return execution;
      },
      saw: (run, step, outcome) => rules.saw(run, step, outcome),
      woke: (run, step) => rules.woke(process, run, step),
    };
  }

  #registry(process: SimProcess, limit: number): Registry {
    const old = this.#deploying && this.#spawned++ % 2 === 1;
    const stage = this.#stage(process, limit);
    return new Registry((old ? VERSIONS.slice(0, 1) : VERSIONS).map((version) => programWorkflow(version, stage)));
  }

  /** No worker with the old code alone is left. */
  heal(): void {
    this.#deploying = false;
    this.#dismiss(this.options.namespaces);
    for (const { process } of this.#warm) process.kill('replaced');
    this.#supervise();
  }

  /** Workers that stay are there while something is to be done soon, and are stopped or killed when not. */
  #supervise(): void {
    if (this.#supervised) return;
    this.#supervised = true;
    const look = (): void => {
      const times = this.options.namespaces.map((name) => [name, this.#nextWork(name)] as const);
      const next = Math.min(...times.map(([, at]) => at));
      this.#fill(times.flatMap(([name, at]) => (at <= IDLE_AHEAD_MS ? [name] : [])));
      this.#dismiss(times.flatMap(([name, at]) => (at > IDLE_AHEAD_MS ? [name] : [])));
      const delay = this.#standing.size > 0 || next <= IDLE_AHEAD_MS ? LOOK_MS : next;
      if (Number.isFinite(delay)) this.world.kernel.plan(delay, look);
      else this.#supervised = false;
    };
    this.world.kernel.plan(this.world.chance.int(0, 50), look);
  }

  #nextWork(namespace: string): number {
    const { kernel, queue, table } = this.world;
    const now = kernel.now;
    if (table.everywhere(HEAD).some((head) => head['st'] === 'RUNNING' && head.pk.startsWith(`${namespace}#`)))
      return 0;
    let next = Number.POSITIVE_INFINITY;
    for (const { queue: name, group, visibleAt } of queue.all()) {
      if (name === TASK_QUEUE && group === namespace) next = Math.min(next, visibleAt);
    }
    return Math.max(0, next - now);
  }

  #fill(namespaces: readonly string[]): void {
    for (const standing of this.#standing) if (!standing.process.isAlive) this.#standing.delete(standing);
    const stay = this.options.kinds.filter((kind) => kind !== 'lambda');
    for (const namespace of namespaces) {
      for (const kind of stay) {
        const here = [...this.#standing].filter((one) => one.kind === kind && one.namespace === namespace);
        for (let missing = this.options.copies - here.length; missing > 0; missing--)
          this.#standing.add(this.#stand(kind, namespace));
      }
    }
  }

  #dismiss(namespaces: readonly string[]): void {
    for (const standing of this.#standing) {
      if (!namespaces.includes(standing.namespace)) continue;
      if (this.world.chance.chance(0.3)) standing.process.kill('dismissed');
      else void standing.stop().catch(() => undefined);
      this.#standing.delete(standing);
    }
  }

  #stand(kind: 'direct' | 'poll', namespace: string): Standing {
    const { world } = this;
    const process = world.spawn(kind, `${kind}@${namespace}`);
    const { maxConcurrent } = this.options;
    const registry = this.#registry(process, maxConcurrent);
    const log = (level: string, message: string, fields: object): void =>
      world.logged(process, `${level} ${message} ${JSON.stringify(fields)}`);
    const common = { namespace, taskQueue: TASK_QUEUE, maxConcurrent, registry, log };
    if (kind === 'direct') {
      const worker = startEmbeddedWorker({ ...common, engine: process.engine(namespace) });
      return { process, kind, namespace, stop: () => worker.stop() };
    }
    const host = { name: process.name, pid: ++pids, clock: process.clock, random: () => world.ids.random() };
    const fetch = this.network.fetchFor(process);
    const worker = startPollWorker({ ...common, url: API_URL, host, fetch, signals: false });
    return { process, kind, namespace, stop: () => worker.stop() };
  }

  async #invoke(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    const { kernel, chance } = this.world;
    const alive = this.#warm.filter(({ process }) => process.isAlive);
    const index = alive.length > 0 && chance.chance(0.7) ? this.#warm.indexOf(chance.pick(alive)) : -1;
    const warm = index < 0 ? this.#coldStart() : (this.#warm.splice(index, 1)[0] ?? this.#coldStart());
    const { process, handler } = warm;
    const deadline = kernel.now + LAMBDA_MS;
    const timeout = kernel.plan(LAMBDA_MS, () => process.kill('its time is up'));
    const context = { getRemainingTimeInMillis: () => deadline - kernel.now };
    const records = deliveries.map(({ id, body }) => ({ messageId: id, body }));
    const { batchItemFailures } = await process.settle(handler({ Records: records }, context));
    timeout.cancel();
    this.#warm.push(warm);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    return deliveries.filter(({ id }) => !failed.has(id));
  }

  #coldStart(): { readonly process: SimProcess; readonly handler: LambdaHandler } {
    const process = this.world.spawn('lambda');
    const engine = process.engine();
    const registry = this.#registry(process, Number.POSITIVE_INFINITY);
    const log = (level: string, message: string, fields: object): void =>
      this.world.logged(process, `${level} ${message} ${JSON.stringify(fields)}`);
    return { process, handler: lambdaHandler({ open: async () => ({ engine }), registry, log }) };
  }

  /** The wake function: timers and sweeps. */
  #control(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    return this.#serveEach(deliveries, (engine, { body }) => handleControl(engine, body));
  }

  #bury(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    return this.#serveEach(deliveries, (engine, delivery) => recordDeadLetter(engine, TASK_QUEUE, delivery));
  }

  async #serveEach(
    deliveries: readonly Delivery[],
    serve: (engine: Engine, delivery: Delivery) => Promise<void>,
  ): Promise<readonly Delivery[]> {
    const alive = this.#wake.filter(({ process }) => process.isAlive);
    this.#wake.splice(0, this.#wake.length, ...alive);
    if (alive.length === 0) {
      const process = this.world.spawn('wake');
      this.#wake.push({ process, engine: process.engine() });
    }
    const { process, engine } = this.world.chance.pick(this.#wake);
    const served: Delivery[] = [];
    for (const delivery of deliveries) {
      try {
        await process.settle(serve(engine, delivery));
        served.push(delivery);
      } catch (error) {
        if (!String(error).includes('injected')) this.world.rules.violate('WAKE', String((error as Error).stack));
      }
    }
    return served;
  }
}
