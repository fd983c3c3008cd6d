import { PortError } from '../../shared/ports/port-error.ts';
import { createEngine, type Engine, type EngineParts } from '../../shared/store/engine.ts';
import type { Faults } from './faults.ts';

export const GONE = Symbol('gone');
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * Something that can die or freeze at a port call. Nothing of a dead process goes on: none of its calls, those
 * under way included, ever settles. A frozen one goes on where it stood.
 */
export class Process {
  readonly engine: Engine;
  /** Settles at its death, or when it freezes for the first time. */
  readonly gone: Promise<typeof GONE>;
  #leave: () => void = () => undefined;
  #state: 'alive' | 'dead' | 'paused' = 'alive';
  #resumed: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;

  constructor(
    readonly name: string,
    parts: EngineParts,
    private readonly faults: Faults,
  ) {
    this.gone = new Promise((resolve) => {
      this.#leave = () => resolve(GONE);
    });
    this.engine = createEngine({
      ...parts,
      table: this.#wrap('table', parts.table),
      queue: this.#wrap('queue', parts.queue),
      timers: this.#wrap('timers', parts.timers),
      blobs: this.#wrap('blobs', parts.blobs),
    });
  }

  wasPaused = false;

  get paused(): boolean {
    return this.#state === 'paused';
  }

  kill(): void {
    this.#state = 'dead';
    this.#leave();
  }

  resume(): void {
    if (this.#state === 'paused') this.#state = 'alive';
    this.#wake();
  }

  #wrap<P extends object>(port: string, parts: P): P {
    return new Proxy(parts, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          this.#call(`${port}.${String(name)}`, async () => (await Reflect.apply(value, target, args)) as unknown);
      },
    });
  }

  async #call(call: string, apply: () => Promise<unknown>): Promise<unknown> {
    await this.#running();
    switch (this.faults.next(this.name, call)) {
      case 'crash-before':
        this.kill();
        break;
      case 'crash-after':
        await apply();
        this.kill();
        break;
      case 'applied-unknown':
        await apply();
        throw new PortError('unknown', 'injected: applied, but the answer was lost');
      case 'unavailable':
        throw new PortError('unavailable', 'injected: refused');
      case 'lost-unknown':
        throw new PortError('unknown', 'injected: the request was lost');
      case 'pause-before':
        this.#pause();
        await this.#running();
        return apply();
      case 'pause-after': {
        const answer = await apply();
        this.#pause();
        await this.#running();
        return answer;
      }
      case null:
        break;
    }
    await this.#running();
    try {
      return await apply();
    } finally {
      await this.#running();
    }
  }

  #pause(): void {
    this.#state = 'paused';
    this.wasPaused = true;
    this.#resumed = new Promise((resolve) => {
      this.#wake = resolve;
    });
    this.#leave();
  }

  async #running(): Promise<void> {
    if (this.#state === 'paused') await this.#resumed;
    if (this.#state === 'dead') await never();
  }
}
