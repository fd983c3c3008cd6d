import { isDeepStrictEqual } from 'node:util';
import { KagziError } from '../../shared/model/errors.ts';
import { isEnded, type Run, type RunId } from '../../shared/model/run.ts';
import { PortError } from '../../shared/ports/port-error.ts';
import type { Item } from '../../shared/ports/table.ts';
import type { Telemetry } from '../../shared/ports/telemetry.ts';
import { createEngine, DEFAULT_CONFIG, type Engine, type EngineParts } from '../../shared/store/engine.ts';
import { headKey } from '../../shared/store/keys.ts';
import { readRun } from '../../shared/store/run-head.ts';
import { watchdogTick } from '../../shared/usecases/watchdog-tick.ts';
import { deliverControl } from '../helpers/test-engine.ts';
import type { Faults } from './faults.ts';
import { Ledger, type RunKey, Violation } from './ledger.ts';
import { TASK_QUEUE } from './place.ts';
import { GONE, Process } from './process.ts';
import type { Store } from './store.ts';

export interface Scenario {
  readonly name: string;
  /** The fault-free play makes at least so many port calls: a scenario that stopped doing anything is noticed. */
  readonly minCalls: number;
  readonly worker: (world: World) => Worker;
  /** What clients do and wait for, from the first start to the last end. */
  readonly play: (world: World) => Promise<void>;
  /** Its workers are themselves the engine: there is nobody to ask again. */
  readonly direct?: boolean;
  /** Each play takes long: the rarer combinations are left out. */
  readonly slow?: boolean;
  /** More moments at which those who stood still go on, where they matter. */
  readonly moments?: readonly ResumeAt[];
  /** Runs that may end in one way or another. */
  readonly isRaced?: (run: Run) => boolean;
  /** Steps whose number depends on how long things take. */
  readonly isIncidental?: (stepId: string) => boolean;
  /** What else must hold when everything is at rest. */
  readonly verify?: (world: World) => Promise<void>;
}

export const LEASE_MS = DEFAULT_CONFIG.leaseMs;
const TICK_MS = 1000;
const CLIENT_TRIES = 3;

/**
 * When a frozen process goes on: after two leases, or before that once its run was taken from it and waits, beside
 * its successor when that has claimed or is in a body, or when the next run under a reused id is claimed.
 */
export type ResumeAt = 'late' | 'waiting' | 'claim' | 'body' | 'reborn';

export interface WorldOptions {
  readonly store: Store;
  readonly faults: Faults;
  readonly scenario: Scenario;
  /** The workers are apart from the engine: its process dies, they ask again with the lease they hold. */
  readonly workersSurvive: boolean;
  readonly resumeAt: ResumeAt;
  readonly watchdogs: number;
  readonly deadlineMs: number;
}

export type Attempt<T> =
  | { readonly outcome: 'done'; readonly value: T }
  | { readonly outcome: 'failed'; readonly error: unknown }
  | { readonly outcome: 'gone' };

interface Zombie {
  readonly process: Process;
  readonly work: Promise<Attempt<unknown>>;
  readonly pausedAt: number;
  /** Each run when the process froze. */
  readonly heads: ReadonlyMap<string, Item>;
}

/** One that does its rounds until its process is gone. */
export interface Worker {
  readonly process: Process;
  /** The run it holds, as far as it knows; 'polling' while it may get one. */
  readonly holding: string | null;
  round(): Promise<void>;
}

/** Clients, workers and watchdogs around one store, with at most one fault among them. */
export class World {
  readonly ledger = new Ledger();
  /** Looks on; suffers no faults. */
  readonly observer: Engine;
  readonly startedAt: number;
  readonly #parts: EngineParts;
  readonly #watchdogs: Process[];
  readonly #workers: Worker[] = [];
  #processes = 0;
  #zombie: Zombie | null = null;

  constructor(readonly options: WorldOptions) {
    const { parts } = options.store;
    this.#parts = { ...parts, telemetry: this.#telemetry(), config: DEFAULT_CONFIG };
    this.observer = createEngine(this.#parts);
    this.startedAt = this.now();
    this.#watchdogs = Array.from({ length: options.watchdogs }, () => this.process('watchdog'));
  }

  now(): number {
    return this.#parts.clock.now();
  }

  process(role: string): Process {
    return new Process(`${role}-${++this.#processes}`, this.#parts, this.options.faults);
  }

  /** Until the process is gone, at the latest. */
  async attempt<T>(process: Process, work: () => Promise<T>): Promise<Attempt<T>> {
    const started = work().then<Attempt<T>, Attempt<T>>(
      (value) => ({ outcome: 'done', value }),
      (error: unknown) => ({ outcome: 'failed', error }),
    );
    const first = await Promise.race([started, process.gone]);
    if (first !== GONE) return first;
    if (process.paused) {
      const heads = await this.options.store.heads();
      const byKey = new Map(heads.map((head) => [head.pk, head]));
      this.#zombie = { process, work: started, pausedAt: this.now(), heads: byKey };
    }
    return { outcome: 'gone' };
  }

  /** A client tries again when its request got no answer, as often as one fault can make it. */
  async client<T>(request: (engine: Engine) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const process = this.process('client');
      const attempt = await this.attempt(process, () => request(process.engine));
      if (attempt.outcome === 'done') return attempt.value;
      if (attempt.outcome === 'failed' && !(attempt.error instanceof PortError)) throw attempt.error;
      if (tries === CLIENT_TRIES) throw new Violation('a client failed more often than one fault can make it');
      await this.pass(TICK_MS);
    }
  }

  /** Until it is so, with the worker at work and time passing. */
  async drive(until: () => Promise<boolean>): Promise<void> {
    for (;;) {
      await this.work();
      if (await until()) return;
      await this.pass(this.#toNextEvent());
      const took = this.now() - this.startedAt;
      if (took > this.options.deadlineMs)
        throw new Violation(`not done after ${took / 1000} s: ${await this.#state()}`);
    }
  }

  ended(run: RunId): () => Promise<boolean> {
    return async () => {
      const now = await readRun(this.observer, run);
      return now !== null && isEnded(now);
    };
  }

  /** Somebody polls once there is a message; those who wait in vain would add nothing but calls. */
  async work(): Promise<void> {
    if ((await this.observer.queue.depth(TASK_QUEUE)).ready === 0) return;
    const worker = this.#workers.at(-1) ?? this.#newWorker();
    const attempt = await this.attempt(worker.process, () => worker.round());
    if (attempt.outcome === 'done') return;
    if (attempt.outcome === 'failed' && !(attempt.error instanceof PortError)) throw attempt.error;
    if (attempt.outcome === 'failed') worker.process.kill();
    this.#newWorker();
  }

  /** The worker's process ends here and now, in mid-run. */
  abandonWorker(): void {
    this.#workers.at(-1)?.process.kill();
  }

  /** Time, in steps to each moment at which something happens, with the watchdogs awake at each. */
  async pass(ms: number): Promise<void> {
    const end = this.now() + ms;
    while (this.now() < end) {
      await this.options.store.advance(Math.min(end - this.now(), this.#toNextEvent()));
      await this.#tick();
    }
  }

  async besideSuccessor(moment: 'claim' | 'body', run: RunKey): Promise<void> {
    const former = this.#zombie?.heads.get(headKey(run).pk);
    const reborn = moment === 'claim' && former !== undefined && former['inc'] !== run.incarnation;
    const { resumeAt } = this.options;
    if (resumeAt === moment || (resumeAt === 'reborn' && reborn)) await this.#resumeZombie();
  }

  get hasZombie(): boolean {
    return this.#zombie !== null;
  }

  /** A request is still on its way that nobody waits for any more. */
  get hasLateRequest(): boolean {
    return this.#zombie !== null && !this.#zombie.process.name.startsWith('worker');
  }

  /** Whole seconds, as the watchdog ticks. */
  #toNextEvent(): number {
    const now = this.now();
    const next = Math.min(
      this.options.store.nextEventAt(now),
      this.#zombie === null ? Number.POSITIVE_INFINITY : this.#zombie.pausedAt + 2 * LEASE_MS + TICK_MS,
    );
    return next === Number.POSITIVE_INFINITY ? TICK_MS : Math.max(1, Math.ceil((next - now) / TICK_MS)) * TICK_MS;
  }

  async #tick(): Promise<void> {
    if (this.#zombie !== null && this.now() > this.#zombie.pausedAt + 2 * LEASE_MS) await this.#resumeZombie();
    await Promise.all(
      this.#watchdogs.map(async (process, index) => {
        const attempt = await this.attempt(process, async () => {
          await watchdogTick(process.engine);
          await deliverControl(process.engine);
        });
        if (attempt.outcome === 'failed' && !(attempt.error instanceof PortError)) throw attempt.error;
        if (attempt.outcome === 'gone') this.#watchdogs[index] = this.process('watchdog');
      }),
    );
    if (this.options.resumeAt === 'waiting' && (await this.#isRecovered())) await this.#resumeZombie();
  }

  async #isRecovered(): Promise<boolean> {
    const then = this.#zombie?.heads;
    if (then === undefined) return false;
    const heads = await this.options.store.heads();
    return heads.some((head) => head['st'] === 'PENDING' && then.get(head.pk)?.['st'] === 'RUNNING');
  }

  /** Whatever it does from here on, a run that others have taken over stays as it is. */
  async #resumeZombie(): Promise<void> {
    const zombie = this.#zombie;
    if (zombie === null) return;
    this.#zombie = null;
    const worker = this.#workers.find(({ process }) => process === zombie.process);
    const holding = worker?.holding;
    const before = await this.options.store.heads();
    zombie.process.resume();
    const attempt = await zombie.work;
    if (attempt.outcome === 'failed' && !(worker === undefined && attempt.error instanceof KagziError)) {
      throw new Violation(`${zombie.process.name} did not end quietly: ${String(attempt.error)}`);
    }
    if (worker === undefined) return;
    const after = new Map((await this.options.store.heads()).map((head) => [head.pk, head]));
    for (const head of before) {
      const then = zombie.heads.get(head.pk);
      const taken = then?.['inc'] !== head['inc'] || (head['ep'] as number) > (then?.['ep'] as number);
      const waiting = head['st'] === 'PENDING' || head['st'] === 'SLEEPING';
      const concerned = holding === 'polling' ? !waiting : head.pk.endsWith(`#${holding}`);
      if (!taken || !concerned) continue;
      this.ledger.overtaken += 1;
      if (!isDeepStrictEqual(after.get(head.pk), head)) {
        throw new Violation(
          `${zombie.process.name} changed a run it had lost: ${difference(head, after.get(head.pk))}`,
        );
      }
    }
  }

  #newWorker(): Worker {
    const worker = this.options.scenario.worker(this);
    this.#workers.push(worker);
    return worker;
  }

  /** Some errors are logged and swallowed; only what was injected may be. */
  #telemetry(): Telemetry {
    return {
      count: () => undefined,
      log: (_level, message, fields) => {
        const error = fields?.['error'];
        if (error !== undefined && !String(error).includes('injected:')) throw new Violation(`${message}: ${error}`);
      },
    };
  }

  async #state(): Promise<string> {
    const heads = await this.options.store.heads();
    return heads.map((head) => JSON.stringify([head.pk, head['st'], head['ds']])).join(', ');
  }

  /** Runs that the watchdog still has to look at before their retention ends. */
  async dueRuns(): Promise<readonly string[]> {
    const soon = this.now() + DEFAULT_CONFIG.retentionMs / 2;
    const heads = await this.options.store.heads();
    return heads.filter((head) => Number(head['ds'] ?? Number.POSITIVE_INFINITY) < soon).map((head) => head.pk);
  }
}

function difference(before: Item, after: Item | undefined): string {
  const names = Object.keys({ ...before, ...after });
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after?.[name]))
    .map((name) => `${name}: ${JSON.stringify(before[name])} -> ${JSON.stringify(after?.[name])}`)
    .join(', ');
}
