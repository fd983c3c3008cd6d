import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../helpers/seeded-random.ts';
import { ChaosProcess } from './chaos-process.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import type { EngineArguments } from './engine-process.ts';

interface EngineHostParts {
  readonly script: string;
  readonly proxy: CuttingProxy;
  readonly given: Omit<EngineArguments, 'name'>;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** It ended, and nobody here has done it. */
  readonly onDeath: (error: Error) => void;
}

const MOMENT_MS = 3;

/** The engine's process, and the next one on the same store when it was killed. */
export class EngineHost {
  #process: ChaosProcess<{ readonly url: string }> | null = null;
  #born = 0;
  #isDoomed = false;
  url = '';

  constructor(private readonly parts: EngineHostParts) {}

  async start(): Promise<void> {
    const { script, given, proxy, onDeath } = this.parts;
    const name = `engine-${++this.#born}`;
    const engine = new ChaosProcess<{ readonly url: string }>(name, script, { ...given, name });
    this.#process = engine;
    this.#isDoomed = false;
    void engine.ended.then(() => this.#isDoomed || onDeath(new Error(`${name} ended by itself`)));
    this.url = (await engine.message).url;
    proxy.upstream = this.url;
  }

  get output(): string {
    return this.#process?.output ?? '';
  }

  /** SIGKILL while it owes the answer of some write, and another process on what is left of the store. */
  async killWhileWriting(random: SeededRandom): Promise<void> {
    const { proxy, signal } = this.parts;
    do {
      await Promise.race([proxy.nextWrite(), aborted(signal)]);
      await delay(random.between(0, MOMENT_MS));
    } while (proxy.writing === 0);
    const gone = this.kill();
    proxy.upstream = null;
    await gone;
    await this.start();
  }

  async freeze(ms: number): Promise<void> {
    this.#process?.signal('SIGSTOP');
    await delay(ms);
    this.#process?.signal('SIGCONT');
  }

  /** As an operator would. */
  async stop(): Promise<void> {
    this.#isDoomed = true;
    this.#process?.signal('SIGTERM');
    await this.#process?.ended;
  }

  async kill(): Promise<void> {
    this.#isDoomed = true;
    await this.#process?.kill();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
