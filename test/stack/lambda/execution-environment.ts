import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { clockAhead } from '../clock/moved-clock.ts';
import type { Invocation, RuntimeMessage } from './runtime-messages.ts';

export interface EnvironmentParts {
  readonly taskRoot: string;
  readonly env: Readonly<Record<string, string>>;
  readonly scripts: { readonly runtime: string; readonly preload: string };
  readonly onLine: (line: string) => void;
}

/** It failed, timed out, or its process died. */
export class InvocationError extends Error {}

const OUTPUT_KEPT = 4_000;
const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** A process with a function's bundle in it. It serves one event at a time, and is frozen in between. */
export class ExecutionEnvironment {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #settle: ((message: RuntimeMessage) => void) | null = null;
  #errors = '';
  #isDead = false;
  #isServing = false;

  constructor({ taskRoot, env, scripts, onLine }: EnvironmentParts) {
    const preload = `${pathToFileURL(scripts.preload).href}?ahead=${clockAhead()}`;
    const child = spawn(process.execPath, ['--import', preload, scripts.runtime], {
      cwd: taskRoot,
      env: { ...env, LAMBDA_TASK_ROOT: taskRoot, PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    alive.add(child);
    // Whoever waits for it hears of its end.
    child.on('error', () => undefined);
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', onLine);
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-OUTPUT_KEPT);
    });
    this.ended = new Promise((resolve) => {
      child.once('close', () => {
        this.#isDead = true;
        alive.delete(child);
        resolve();
      });
    });
    this.#ready = new Promise((resolve, reject) => {
      child.on('message', (message: RuntimeMessage) => {
        if (message.what === 'ready') resolve();
        else this.#settle?.(message);
      });
      void this.ended.then(() => reject(new InvocationError(`the runtime exited: ${this.#errors}`)));
    });
    this.#ready.catch(() => undefined);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Its handler has an event; before that its bundle is being loaded. */
  get isServing(): boolean {
    return this.#isServing && !this.#isDead;
  }

  async invoke(invocation: Invocation): Promise<unknown> {
    const answered = new Promise<RuntimeMessage>((resolve, reject) => {
      this.#settle = resolve;
      void this.ended.then(() => reject(new InvocationError(`the runtime exited: ${this.#errors}`)));
    });
    answered.catch(() => undefined);
    this.#child.kill('SIGCONT');
    await this.#ready;
    this.#child.send({ invocation });
    this.#isServing = true;
    const message = await answered.finally(() => {
      this.#isServing = false;
    });
    this.#settle = null;
    this.#child.kill('SIGSTOP');
    if (message.what === 'error') throw new InvocationError(message.error);
    return message.what === 'result' ? message.result : undefined;
  }

  /** It hears of it at the latest when it is thawed. */
  moveClock(moveMs: number): void {
    if (this.#child.connected) this.#child.send({ moveMs });
  }

  /** In the middle of what it does; `thaw` lets it go on. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#isDead = true;
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}
