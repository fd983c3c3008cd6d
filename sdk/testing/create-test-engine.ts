import { SqliteQueue } from '../../local/sqlite-queue.ts';
import { SqliteStore } from '../../local/sqlite-store.ts';
import { SqliteTable } from '../../local/sqlite-table.ts';
import { SqliteTimers } from '../../local/sqlite-timers.ts';
import { type Duration, durationMs } from '../../shared/model/duration.ts';
import type { Run } from '../../shared/model/run.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import type { LogLevel } from '../../shared/ports/telemetry.ts';
import { createEngine, DEFAULT_CONFIG, type Engine } from '../../shared/store/engine.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';
import { handleControl } from '../../shared/usecases/handle-control.ts';
import { listRuns } from '../../shared/usecases/list-runs.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { type Checks, checkOptions, isFunction, isList, isTime, refuse, shown } from '../check-options.ts';
import type { Client, RunHandle, StartArguments } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import type { AnyWorkflow, LogFields, OutputOf, StepBody } from '../context.ts';
import { suggest } from '../suggest.ts';
import { type RunningWorker, startEmbeddedWorker } from '../worker/embedded-worker.ts';
import { Registry } from '../worker/registry.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { SkippingClock } from './skipping-clock.ts';

export interface TestEngineOptions {
  readonly workflows: readonly AnyWorkflow[];
  /** Where time begins; it moves only when nothing is left to do. */
  readonly now?: Date;
}

export interface TestLogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

const NAMESPACE = 'default';
const QUEUE = 'default';
const OPTIONS: Checks<TestEngineOptions> = { workflows: isList, now: isTime };
/** Without anything to do for so many turns of the event loop, the workflows are waiting. */
const IDLE_TURNS = 20;
const TICK_MS = 1_000;

/** The real engine in memory, with a worker, and a clock that skips whatever workflows wait for. */
export class TestEngine {
  readonly client: Client;
  readonly log: TestLogLine[] = [];
  readonly #stubs = new Map<string, StepBody<unknown>>();
  readonly #stepsSeen = new Set<string>();
  readonly #registry: Registry;
  readonly #clock: SkippingClock;
  readonly #store = SqliteStore.inMemory();
  readonly #engine: Engine;
  readonly #worker: RunningWorker;

  constructor(options: TestEngineOptions) {
    checkOptions('createTestEngine', options ?? {}, OPTIONS);
    this.#registry = new Registry(options?.workflows ?? []);
    const clock = new SkippingClock((options.now ?? new Date()).getTime());
    const queue = new SqliteQueue(this.#store, clock);
    const timers = new SqliteTimers(this.#store, queue, clock);
    this.#clock = clock;
    this.#engine = createEngine({
      table: new SqliteTable(this.#store, clock),
      queue,
      timers,
      blobs: new MemoryBlobs(clock),
      clock,
      ids: new SystemIds(),
      telemetry: { count: () => undefined, log: () => undefined },
      config: DEFAULT_CONFIG,
    });
    void timers.start();
    this.client = createClient({ embedded: this.#engine, namespace: NAMESPACE });
    this.#worker = startEmbeddedWorker({
      engine: this.#engine,
      registry: this.#registry,
      namespace: NAMESPACE,
      taskQueue: QUEUE,
      maxConcurrent: 1_000,
      log: (level, message, fields) => this.log.push({ level, message, fields }),
      logErrors: true,
      stub: (stepId) => {
        this.#stepsSeen.add(stepId);
        return this.#stubs.get(stepId);
      },
    });
  }

  get now(): Date {
    return new Date(this.#clock.now());
  }

  /** From now on steps with this id run this body instead of their own. */
  stub(stepId: string, body: StepBody<unknown>): this {
    refuse(`stub ${shown(stepId)}`, () => isFunction(body));
    this.#stubs.set(stepId, body);
    return this;
  }

  start<W extends AnyWorkflow>(workflow: W, ...given: StartArguments<W>): Promise<RunHandle<OutputOf<W>>> {
    return this.client.start(workflow, ...given);
  }

  /** Starts it, skips what it waits for, and answers or throws what it ends with. */
  async run<W extends AnyWorkflow>(workflow: W, ...given: StartArguments<W>): Promise<OutputOf<W>> {
    return this.finish(await this.start(workflow, ...given));
  }

  /** Skips what the run waits for. Throws if it waits for a workflow that is not here. */
  async finish<Output>(handle: RunHandle<Output>): Promise<Output> {
    for (;;) {
      await this.#settle();
      const status = await handle.status();
      if (status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED') return handle.result();
      await this.#skip();
    }
  }

  /** Moves time by this much, and lets happen what is due by then. */
  async advance(duration: Duration): Promise<void> {
    const end = this.#clock.now() + durationMs(duration);
    for (;;) {
      await this.#settle();
      const next = await this.#nextWake();
      const at = Math.min(end, next);
      await this.#jump(Math.max(1, at - this.#clock.now()));
      if (this.#clock.now() >= end) return this.#settle();
    }
  }

  /** Stubs that were never used are told on the console: their ids may be mistyped, and the steps' own bodies ran. */
  async close(): Promise<void> {
    for (const id of this.#stubs.keys()) {
      if (this.#stepsSeen.has(id)) continue;
      console.warn(`The stub of step "${id}" was never used.${suggest(id, [...this.#stepsSeen])}`);
    }
    await this.#worker.stop(0);
    await this.#store.close();
  }

  /** To when the first of the waiting runs goes on. */
  async #skip(): Promise<void> {
    const next = await this.#nextWake();
    const wait = Number.isFinite(next) ? next - this.#clock.now() : TICK_MS;
    await this.#jump(Math.max(1, wait));
  }

  async #nextWake(): Promise<number> {
    const { runs } = await listRuns(this.#engine, { namespace: NAMESPACE, class: 'OPEN', pageSize: 1_000 });
    for (const run of runs) this.#requireServed(run);
    const times = runs.map((run) => ('availableAt' in run ? run.availableAt : this.#clock.now() + TICK_MS));
    return Math.min(...times.map((at) => Math.max(at, this.#clock.now() + 1)), Number.POSITIVE_INFINITY);
  }

  /** Time would pass for ever, and nothing would happen. */
  #requireServed({ workflowType: type, version, taskQueue, runId }: Run): void {
    if (taskQueue !== QUEUE) {
      throw new Error(
        `The run ${runId} of "${type}" waits on queue "${taskQueue}"; the test engine serves "${QUEUE}".`,
      );
    }
    if (this.#registry.find(type, version) !== null) return;
    const served = this.#registry.types.join(', ');
    throw new Error(
      `No workflow "${type}" with version "${version}" is here; there are ${served}. Give it to createTestEngine({ workflows }).`,
    );
  }

  async #jump(ms: number): Promise<void> {
    this.#clock.jump(ms);
    await this.#settle();
    await watchdogTick(this.#engine);
    const options = { max: 100, waitMs: 0, visibilityMs: 30_000 };
    const deliveries = await this.#engine.queue.receive(CONTROL_QUEUE, options);
    for (const delivery of deliveries) await handleControl(this.#engine, delivery.body);
    await this.#engine.queue.ack(CONTROL_QUEUE, deliveries);
    await this.#settle();
  }

  /** Lets everything run that does not wait for time. */
  async #settle(): Promise<void> {
    for (let turn = 0; turn < IDLE_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

export const createTestEngine = (options: TestEngineOptions): TestEngine => new TestEngine(options);
