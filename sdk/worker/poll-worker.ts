import { type Duration, durationMs } from '../../shared/model/duration.ts';
import { linkSignals } from '../../shared/model/link-signals.ts';
import { Stop } from '../../shared/model/stop.ts';
import { ApiError } from '../client/api-error.ts';
import type { CallerProof } from '../client/caller-proof.ts';
import { HttpApi, type HttpApiOptions } from '../client/http-api.ts';
import { type Host, thisHost, timeoutSignal } from '../host.ts';
import { executeRun } from '../replay/execute-run.ts';
import { RunLostError } from '../replay/journal.ts';
import type { LogSink } from '../replay/log-sink.ts';
import { guardStrayErrors } from '../replay/stray-errors.ts';
import { type HeldRun, HeldRuns } from './held-runs.ts';
import { HttpJournal } from './http-journal.ts';
import { backoffMs, PollSession } from './poll-session.ts';
import type { Registry } from './registry.ts';
import { ServerClock } from './server-clock.ts';
import type { WireTask } from './wire-task.ts';

interface PollSettings extends Pick<HttpApiOptions, 'url' | 'namespace' | 'fetch'> {
  /** Runs at a time. */
  readonly maxConcurrent?: number;
  /** Runs of one workflow type at a time. */
  readonly workflowTypeConcurrency?: Readonly<Record<string, number>>;
  /** For people. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Of the deployment; for people. */
  readonly version?: string;
  /** Whether SIGTERM and SIGINT stop it, as they do if nothing is said; a second one cuts short what is under way. */
  readonly signals?: boolean;
  /** How long it may take to finish what it holds when it is stopped; 30 seconds if nothing is said. */
  readonly drainTimeout?: Duration;
}

export type PollOptions = PollSettings & CallerProof;

export interface PollingWorker {
  /** Takes no more runs, finishes what it holds or gives it back by the deadline, deregisters. */
  stop(): Promise<void>;
  /** Settles when it has stopped. Rejects if the engine refuses to have it, or the first call cannot be signed. */
  readonly done: Promise<void>;
}

export type PollWorkerParts = PollOptions & {
  readonly namespace: string;
  readonly maxConcurrent: number;
  readonly registry: Registry;
  readonly taskQueue: string;
  readonly log: LogSink;
  readonly logErrors?: boolean;
  readonly host?: Host;
};

const POLL_MS = 20_000;
/** While some types are full: they should not wait long after they have room again. */
const SHORT_POLL_MS = 2_000;
const PAUSE_MS = 1_000;
/** A worker that stays may wait this long itself: cheaper than putting a run down. */
const HOLD_MS = 5_000;
const DRAIN_MS = 30_000;
/** At most this much of the drain's time is for bodies to end after nothing new is begun. */
const LAST_MS = 5_000;
/** An engine that restarts is waited for: what a body has done would be lost otherwise. Lost runs do not wait. */
const PATIENT_ATTEMPTS = 30;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Host and pid tell the engine that a worker is one reborn, which ends its former session. Of several workers that
 * one process runs for the same queue, only the first may say so.
 */
const firstOfProcess = new Set<string>();

export function startPollWorker(parts: PollWorkerParts): PollingWorker {
  const worker = new PollWorker(parts);
  const done = worker.run();
  // Whoever looks at it is told all the same.
  done.catch(() => undefined);
  return {
    done,
    stop() {
      worker.stop();
      return done;
    },
  };
}

class PollWorker {
  readonly #held = new HeldRuns();
  readonly #stopping = new AbortController();
  readonly #handingOver = new Stop();
  readonly #killing = new AbortController();
  readonly #patientApi: HttpApi;
  readonly #api: HttpApi;
  readonly #pollApi: HttpApi;
  readonly #place: string;
  readonly #isFirst: boolean;
  readonly #session: PollSession;
  readonly #host: Host;
  readonly #clock: ServerClock;
  #pollFailures = 0;

  constructor(private readonly parts: PollWorkerParts) {
    const { url, namespace, taskQueue, maxConcurrent, log } = parts;
    const host = parts.host ?? thisHost;
    this.#host = host;
    this.#clock = new ServerClock(host.clock);
    const api = new HttpApi(parts, host);
    this.#patientApi = api.with({ attempts: PATIENT_ATTEMPTS, timeout: '15 minutes' });
    this.#api = api.with({ attempts: 3, attemptTimeout: '10s' });
    this.#pollApi = api.with({ attempts: 1 });
    this.#place = `${host.name} ${host.pid} ${url} ${namespace} ${taskQueue}`;
    this.#isFirst = !firstOfProcess.has(this.#place);
    if (this.#isFirst) firstOfProcess.add(this.#place);
    const registration = registrationOf(parts, host, this.#isFirst);
    const session = { api: this.#api, registration, maxConcurrent, held: this.#held, host, clock: this.#clock, log };
    this.#session = new PollSession(session, () => this.stop());
  }

  stop(): void {
    this.#stopping.abort();
    this.#held.wake();
  }

  async run(): Promise<void> {
    const onSignal = (): void => {
      if (this.#stopping.signal.aborted) this.#killing.abort();
      this.stop();
    };
    const signals = this.parts.signals === false ? [] : SIGNALS;
    for (const signal of signals) process.on(signal, onSignal);
    const release = guardStrayErrors();
    try {
      await this.#session.register(this.#stopping.signal);
      const done = new AbortController();
      const kept = this.#session.keep(done.signal);
      await this.#serve();
      await this.#drain();
      done.abort();
      await kept;
      const last = timeoutSignal(this.#host, LAST_MS);
      await this.#session.leave(last.signal);
      last.done();
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    } finally {
      for (const signal of signals) process.off(signal, onSignal);
      release();
      if (this.#isFirst) firstOfProcess.delete(this.#place);
    }
  }

  async #serve(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const changed = this.#held.changed();
      const types = this.#session.paused ? [] : this.#typesWithRoom();
      if (types.length === 0) {
        await changed;
        continue;
      }
      await this.#session.sayRoom(signal);
      const task = await this.#poll(types);
      if (task !== null) this.#take(task);
    }
  }

  #typesWithRoom(): readonly string[] {
    const { registry, maxConcurrent, workflowTypeConcurrency = {} } = this.parts;
    if (this.#held.size >= maxConcurrent) return [];
    return registry.types.filter((type) => this.#held.countOf(type) < (workflowTypeConcurrency[type] ?? maxConcurrent));
  }

  async #poll(types: readonly string[]): Promise<WireTask | null> {
    const { signal } = this.#stopping;
    const { id } = this.#session;
    if (id === null || signal.aborted) return null;
    const { registry } = this.parts;
    const waitMs = types.length === registry.types.length ? POLL_MS : SHORT_POLL_MS;
    try {
      const sentAt = this.#clock.monotonic();
      const { task, server_time } = await this.#pollApi.call<{ task: WireTask | null; server_time: string }>({
        path: `/task-queues/${this.parts.taskQueue}/poll`,
        body: {
          worker_id: id,
          workflow_types: types,
          workflow_versions: Object.fromEntries(types.map((type) => [type, registry.versionsOf(type)])),
          timeout_secs: waitMs / 1000,
        },
        waitMs,
        signal,
      });
      this.#clock.hear(server_time, sentAt);
      this.#pollFailures = 0;
      return task;
    } catch (error) {
      if (!signal.aborted) await this.#afterFailedPoll(id, error);
      return null;
    }
  }

  async #afterFailedPoll(id: string, error: unknown): Promise<void> {
    const { signal } = this.#stopping;
    const pause = (ms: number): Promise<void> => this.#host.clock.sleep(ms, signal).catch(() => undefined);
    switch (error instanceof ApiError ? error.code : '') {
      case 'WORKER_OFFLINE':
      case 'WORKER_NOT_FOUND':
        return this.#session.renew(id, signal);
      case 'WORKER_DRAINING':
        return this.stop();
      case 'ENGINE_DRAINING':
        return pause(PAUSE_MS);
      default:
        this.parts.log('warn', 'a poll failed; it is tried again', { error: String(error) });
        return pause(backoffMs(this.#host, this.#pollFailures++));
    }
  }

  #take(task: WireTask): void {
    const held = this.#held.add(task);
    void this.#hold(held)
      .catch((error: unknown) => {
        const fields = { run_id: task.run_id, workflow_type: task.workflow_type, error: String(error) };
        this.parts.log('error', 'a run could not be served; its lease will lapse', fields);
      })
      .finally(() => this.#held.delete(held));
  }

  async #hold(held: HeldRun): Promise<void> {
    const { registry, log, logErrors = false, namespace } = this.parts;
    const { task, lost } = held;
    const workflow = registry.find(task.workflow_type, task.version);
    if (workflow === null) throw new Error(`version ${task.version} of ${task.workflow_type} was not asked for`);
    const { signal, unlink } = linkSignals(lost.signal, this.#killing.signal);
    try {
      const journal = await HttpJournal.open(this.#patientApi, this.#clock, namespace, task, signal);
      held.journal = journal;
      const signals = { giveUp: Stop.of(signal), handover: this.#handingOver };
      const execution = { workflow, journal, clock: this.#clock, holdMs: HOLD_MS, ...signals, log, logErrors };
      const outcome = await executeRun(execution);
      if (outcome === 'completed' || outcome === 'failed') this.#session.count(outcome);
    } catch (error) {
      if (lost.signal.aborted) return;
      if (this.#killing.signal.aborted) return await this.#release(task, 0);
      if (!(error instanceof RunLostError)) throw error;
    } finally {
      unlink();
    }
  }

  async #release({ run_id, lease }: WireTask, delayMs: number): Promise<void> {
    const last = timeoutSignal(this.#host, LAST_MS);
    const body = { lease, delay_ms: delayMs };
    await this.#api.call({ path: `/runs/${run_id}/release`, body, signal: last.signal }).finally(last.done);
  }

  /** Lets the runs it holds go on; towards the deadline begins nothing more, and at it gives back what is left. */
  async #drain(): Promise<void> {
    const { drainTimeout = DRAIN_MS } = this.parts;
    const totalMs = durationMs(drainTimeout);
    const done = new AbortController();
    const after = (ms: number, reached: () => void): void => {
      void this.#host.clock.sleep(ms, done.signal).then(reached, () => undefined);
    };
    after(totalMs - Math.min(LAST_MS, totalMs / 4), () => this.#handingOver.tell());
    after(totalMs, () => this.#killing.abort());
    await this.#session.drain(this.#killing.signal);
    await this.#held.empty();
    done.abort();
  }
}

const registrationOf = (parts: PollWorkerParts, host: Host, isFirst: boolean): Readonly<Record<string, unknown>> => ({
  name: parts.name,
  hostname: host.name,
  pid: isFirst ? host.pid : undefined,
  version: parts.version,
  task_queue: parts.taskQueue,
  workflow_types: parts.registry.types,
  labels: parts.labels,
  max_concurrent: parts.maxConcurrent,
  workflow_type_concurrency: parts.workflowTypeConcurrency,
});
