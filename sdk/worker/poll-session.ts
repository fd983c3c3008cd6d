import { SigningError } from '../../shared/model/signing-error.ts';
import { ApiError } from '../client/api-error.ts';
import type { HttpApi } from '../client/http-api.ts';
import type { Host } from '../host.ts';
import { RunLostError } from '../replay/journal.ts';
import type { LogSink } from '../replay/log-sink.ts';
import type { HeldRuns } from './held-runs.ts';
import type { ServerClock } from './server-clock.ts';

interface Registered {
  readonly worker_id: string;
  readonly heartbeat_interval_secs: number;
  readonly server_time: string;
}
interface Beaten {
  readonly accepted: boolean;
  readonly should_drain: boolean;
  readonly lost_runs: readonly { readonly run_id: string; readonly status: string | null }[];
  readonly arrived_runs: readonly string[];
  readonly server_time: string;
}

export interface PollSessionParts {
  readonly api: HttpApi;
  /** What register is told. */
  readonly registration: Readonly<Record<string, unknown>>;
  readonly maxConcurrent: number;
  readonly held: HeldRuns;
  readonly host: Host;
  readonly clock: ServerClock;
  readonly log: LogSink;
}

const MAX_BACKOFF_MS = 10_000;
const BEAT_AGAIN_MS = 1_000;
export const backoffMs = (host: Host, failures: number): number =>
  (0.5 + host.random() / 2) * Math.min(MAX_BACKOFF_MS, 250 * 2 ** Math.min(failures, 10));

const isGone = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'WORKER_NOT_FOUND' || error.code === 'WORKER_OFFLINE');
/** What trying again would not change: a wrong token, no credentials, an unknown task queue. */
const isRefused = (error: unknown): boolean =>
  (error instanceof SigningError && !error.isTransient) ||
  (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429);

/** A worker's registration, and the heartbeats that keep it and its runs alive. */
export class PollSession {
  /** The engine gives out no runs for now. */
  paused = false;
  #id: string | null = null;
  #intervalMs = 0;
  /** How many runs the last heartbeat named. */
  #named = 0;
  #completed = 0;
  #failed = 0;
  #leaving = false;
  #renewal: Promise<void> | null = null;

  constructor(
    private readonly parts: PollSessionParts,
    private readonly onDrain: () => void,
  ) {}

  get id(): string | null {
    return this.#id;
  }

  /** Tries until the engine answers. Throws what no further try would change. */
  async register(signal: AbortSignal): Promise<void> {
    const { api, registration, host, clock, log } = this.parts;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const body = registration;
        const sentAt = clock.monotonic();
        const answer = await api.call<Registered>({ path: '/workers', body, signal });
        clock.hear(answer.server_time, sentAt);
        this.#id = answer.worker_id;
        this.#intervalMs = answer.heartbeat_interval_secs * 1000;
        this.#named = 0;
        log('info', 'the worker is registered', { worker_id: answer.worker_id });
        return;
      } catch (error) {
        if (isRefused(error) || signal.aborted) throw error;
        log('warn', 'the worker could not register; it tries again', { error: String(error) });
        await host.clock.sleep(backoffMs(host, failures), signal).catch(() => undefined);
      }
    }
  }

  /** The session named has ended, and its runs are being given to others: they are dropped here, and another begins. */
  renew(former: string, signal: AbortSignal): Promise<void> {
    if (former !== this.#id) return Promise.resolve();
    this.#renewal ??= this.#registerAgain(signal).finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #registerAgain(signal: AbortSignal): Promise<void> {
    const { held, host, log } = this.parts;
    held.loseAll();
    if (this.#leaving) return;
    log('warn', 'the engine counts this worker as gone; it registers again', {});
    try {
      await this.register(signal);
    } catch (error) {
      if (signal.aborted) return;
      log('error', 'the worker could not register again', { error: String(error) });
      await host.clock.sleep(MAX_BACKOFF_MS, signal).catch(() => undefined);
    }
  }

  count(outcome: 'completed' | 'failed'): void {
    if (outcome === 'completed') this.#completed += 1;
    else this.#failed += 1;
  }

  /** Heartbeats until the signal. */
  async keep(signal: AbortSignal): Promise<void> {
    let waitMs = this.#intervalMs;
    while (!signal.aborted) {
      await this.parts.host.clock.sleep(waitMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      waitMs = (await this.#tryBeat(signal)) ? this.#intervalMs : Math.min(BEAT_AGAIN_MS, this.#intervalMs);
    }
  }

  /** The engine holds back polls of a worker whose last heartbeat named as many runs as it may have: this tells it better. */
  async sayRoom(signal: AbortSignal): Promise<void> {
    if (this.#named >= this.parts.maxConcurrent) await this.#tryBeat(signal);
  }

  async #tryBeat(signal: AbortSignal): Promise<boolean> {
    const id = this.#id;
    if (id === null) return true;
    try {
      await this.#beat(id, signal);
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      if (isGone(error)) await this.renew(id, signal);
      else this.parts.log('warn', 'a heartbeat failed; it is tried again', { error: String(error) });
      return isGone(error);
    }
  }

  async #beat(id: string, signal: AbortSignal): Promise<void> {
    const { api, held, clock } = this.parts;
    const named = held.named();
    const [completed, failed] = [this.#completed, this.#failed];
    const sentAt = clock.monotonic();
    const answer = await api.call<Beaten>({
      path: `/workers/${id}/heartbeat`,
      signal,
      body: {
        runs: named.map(({ task, journal }) => ({
          run_id: task.run_id,
          lease: task.lease,
          inbox_read: journal?.inboxRead ?? task.inbox,
        })),
        active_count: held.size,
        completed_delta: completed,
        failed_delta: failed,
      },
    });
    clock.hear(answer.server_time, sentAt);
    if (!answer.accepted) return this.renew(id, signal);
    this.#named = named.length;
    this.#completed -= completed;
    this.#failed -= failed;
    const lost = new Map(answer.lost_runs.map((run) => [run.run_id, run.status]));
    const arrived = new Set(answer.arrived_runs);
    for (const run of named) {
      const status = lost.get(run.task.run_id);
      const loss = new RunLostError('the run was lost', { cause: { details: { status } } });
      if (status !== undefined) run.lost.abort(loss.reason);
      if (arrived.has(run.task.run_id)) run.journal?.arrived();
    }
    await this.#heed(id, answer.should_drain, signal);
  }

  /** Asked to drain, the worker leaves; while the engine itself drains, it only waits. */
  async #heed(id: string, shouldDrain: boolean, signal: AbortSignal): Promise<void> {
    if (this.#leaving) return;
    if (shouldDrain) {
      const { status } = await this.parts.api.call<{ status: string }>({ path: `/workers/${id}`, signal });
      if (status === 'DRAINING') this.onDrain();
    }
    this.paused = shouldDrain;
    this.parts.held.wake();
  }

  /** From now on the engine gives it no more runs. */
  drain(signal: AbortSignal): Promise<void> {
    this.#leaving = true;
    return this.#deregister({ drain: true }, signal);
  }

  async leave(signal: AbortSignal): Promise<void> {
    if (this.#completed + this.#failed > 0) await this.#tryBeat(signal);
    await this.#deregister({}, signal);
  }

  async #deregister(body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> {
    if (this.#id === null) return;
    try {
      await this.parts.api.call({ path: `/workers/${this.#id}/deregister`, body, signal });
    } catch (error) {
      this.parts.log('warn', 'the worker could not deregister', { error: String(error) });
    }
  }
}
