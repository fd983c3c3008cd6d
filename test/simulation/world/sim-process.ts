import type { Clock } from '../../../shared/ports/clock.ts';
import { PortError } from '../../../shared/ports/port-error.ts';
import { createEngine, type Engine, type EngineParts } from '../../../shared/store/engine.ts';
import type { Actor, Role, Sent } from './actor.ts';
import type { FaultKind } from './fault-plan.ts';
import type { Surroundings } from './surroundings.ts';

/** Where a call fails the same way whatever it does. */
const CALL_FAULTS: readonly FaultKind[] = ['crash-before', 'crash-after', 'ambiguous', 'lost', 'straggler', 'pause'];
const WRITES: ReadonlySet<string> = new Set(['table.put', 'table.update', 'table.delete', 'table.batchWrite']);
/** The AWS SDK's own patience, more or less. */
const TIMEOUT_MS = 2_000;

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * Something that can die or stand still. It reaches the world through ports whose calls take time and may fail. What a
 * dead process waits for never comes; a paused one gets it when it goes on. A request under way is applied all the same.
 */
export class SimProcess implements Actor {
  readonly clock: Clock;
  readonly bornAt: number;
  #state: 'alive' | 'dead' | 'paused' = 'alive';
  #skewMs: number;
  #latest = 0;
  #pauses = 0;
  #waiting: (() => void)[] = [];
  readonly #onDeath: (() => void)[] = [];

  constructor(
    readonly world: Surroundings,
    readonly role: Role,
    readonly name: string,
  ) {
    const { kernel, chance, faults } = world;
    this.bornAt = kernel.now;
    this.#skewMs = chance.int(-2_000, 2_000);
    if (faults.strikes('clock-skew')) this.#skewMs = chance.int(-600_000, 600_000);
    this.clock = {
      now: () => {
        const now = kernel.now + this.#skewMs;
        this.#latest = Math.max(this.#latest, now);
        return now;
      },
      monotonic: () => kernel.now - this.bornAt,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  get latest(): number {
    return this.#latest;
  }

  get skewMs(): number {
    return this.#skewMs;
  }

  get pauses(): number {
    return this.#pauses;
  }

  get isAwake(): boolean {
    return this.#state === 'alive';
  }

  get isAlive(): boolean {
    return this.#state !== 'dead';
  }

  /** An engine whose every call goes through this process; `namespace` is the only one it may touch, if given. */
  engine(namespace: string | null = null): Engine {
    const { world } = this;
    const { parts } = world;
    const wrap = <P extends object>(port: string, target: P): P => this.#wrap(port, target, namespace);
    return createEngine({
      ...parts,
      table: wrap('table', parts.table),
      queue: wrap('queue', parts.queue),
      timers: wrap('timers', parts.timers),
      blobs: wrap('blobs', parts.blobs),
      clock: this.clock,
      telemetry: world.telemetry(this),
    } satisfies EngineParts);
  }

  kill(why: string): void {
    if (this.#state === 'dead') return;
    this.world.note(this, `dies: ${why}`);
    this.#state = 'dead';
    this.#waiting = [];
    for (const act of this.#onDeath) act();
  }

  onDeath(act: () => void): void {
    if (this.#state === 'dead') act();
    else this.#onDeath.push(act);
  }

  pause(ms: number): void {
    if (this.#state !== 'alive') return;
    this.world.note(this, `stands still for ${ms} ms`);
    this.#state = 'paused';
    this.#pauses += 1;
    this.world.kernel.plan(ms, () => this.#resume());
  }

  /** Gives something to the process, now or when it goes on. */
  deliver(act: () => void): void {
    if (this.#state === 'alive') act();
    else if (this.#state === 'paused') this.#waiting.push(act);
  }

  /** The same for work that the world waits for: it never settles if the process dies. */
  settle<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => this.deliver(() => resolve(value)),
        (error: unknown) => this.deliver(() => reject(error as Error)),
      );
    });
  }

  #resume(): void {
    if (this.#state !== 'paused') return;
    this.world.note(this, 'goes on');
    this.#pauses += 1;
    this.#state = 'alive';
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const act of waiting) this.deliver(act);
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const planned = this.world.kernel.plan(Math.max(0, ms), () =>
        this.deliver(() => {
          signal?.removeEventListener('abort', abort);
          resolve();
        }),
      );
      const abort = (): void => {
        planned.cancel();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #wrap<P extends object>(port: string, target: P, namespace: string | null): P {
    return new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const call = `${port}.${String(name)}`;
        return (...given: unknown[]) => {
          const args =
            call === 'queue.receive' ? [given[0], { ...(given[1] as object), isAlive: () => this.isAlive }] : given;
          return this.#call(call, args, namespace, () => Reflect.apply(value, target, args));
        };
      },
    });
  }

  async #call(call: string, args: unknown[], namespace: string | null, apply: () => Promise<unknown>) {
    const { world } = this;
    if (this.#state === 'paused') await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    if (this.#state === 'dead') return never();
    world.rules.touches(this, call, args, namespace);
    if (world.faults.strikes('clock-step')) this.#skewMs -= world.chance.int(1, 5_000);
    const sent: Sent = { monotonic: this.clock.monotonic(), at: world.kernel.now };
    const fault = this.#fault(call);
    const troubled = (): void => void (fault !== null && world.rules.troubled(this, call, args, fault));
    troubled();
    if (fault === 'crash-before') {
      this.kill(`before ${call}`);
      return never();
    }
    if (fault === 'pause' && world.chance.chance(0.5)) {
      this.pause(world.pauseMs());
      await new Promise<void>((resolve) => {
        this.deliver(resolve);
      });
    }
    if (fault === 'throttled') return this.#refuse('unavailable', 'injected: throttled', 5);
    if (fault === 'conflict') return this.#refuse('conflict', 'injected: a transaction is under way', 5);
    if (fault === 'lost') return this.#refuse('unknown', 'injected: the request was lost', TIMEOUT_MS);
    if (fault === 'straggler') {
      world.kernel.plan(world.chance.int(TIMEOUT_MS, 2 * world.parts.config.leaseMs), () => {
        // Nobody knows what came of it.
        void this.#apply(call, args, sent, apply).then(troubled, () => undefined);
      });
      return this.#refuse('unknown', 'injected: the request is late', TIMEOUT_MS);
    }
    return this.#send(call, args, sent, apply, fault);
  }

  #fault(call: string): FaultKind | null {
    const { world } = this;
    if (this.role === 'client') return null;
    const where = { call, role: this.role, name: this.name };
    // Waiting for messages is interrupted by deaths and refusals like anything else, but nothing is late or lost by it.
    if (call === 'table.awaitChange') return null;
    const fault = world.faults.first(call === 'queue.receive' ? ['crash-before', 'lost', 'pause'] : CALL_FAULTS, where);
    if (fault !== null) return fault;
    if (world.faults.isThrottled(world.kernel.now)) return 'throttled';
    return WRITES.has(call) && world.faults.strikes('conflict') ? 'conflict' : null;
  }

  #refuse(failure: PortError['failure'], message: string, afterMs: number): Promise<never> {
    return new Promise((_, reject) => {
      this.world.kernel.plan(afterMs, () => this.deliver(() => reject(new PortError(failure, message))));
    });
  }

  #send(call: string, args: unknown[], sent: Sent, apply: () => Promise<unknown>, fault: FaultKind | null) {
    const { kernel } = this.world;
    return new Promise((resolve, reject) => {
      const answer = (act: () => void): void => {
        kernel.plan(this.world.latencyMs(), () => {
          if (fault === 'pause') this.pause(this.world.pauseMs());
          this.deliver(act);
        });
      };
      kernel.plan(this.world.latencyMs(), () => {
        // A request for messages is gone with its connection.
        if (call === 'queue.receive' && !this.isAlive) return;
        void this.#apply(call, args, sent, apply).then(
          (value) => {
            if (fault === 'crash-after') this.kill(`after ${call}`);
            if (fault === 'ambiguous') {
              const lost = new PortError('unknown', 'injected: applied, but the answer was lost');
              kernel.plan(TIMEOUT_MS, () => this.deliver(() => reject(lost)));
            } else answer(() => resolve(value));
          },
          (error: unknown) => answer(() => reject(error as Error)),
        );
      });
    });
  }

  async #apply(call: string, args: unknown[], sent: Sent, apply: () => Promise<unknown>): Promise<unknown> {
    const { world } = this;
    world.writer = this;
    const isOutside = call !== 'queue.receive' && call !== 'table.awaitChange';
    const value = isOutside ? await world.kernel.real(apply()) : await apply();
    world.rules.applied(this, call, args, value, sent);
    return value;
  }
}
