import { type ChildProcess, spawn } from 'node:child_process';

const OUTPUT_KEPT = 8_000;

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** A process that is there to be hurt. It ends by itself when this one does. */
export class ChaosProcess<Message> {
  /** The first thing it tells; rejects if it dies before. */
  readonly message: Promise<Message>;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #output = '';
  #isAlive = true;

  constructor(
    readonly name: string,
    script: string,
    given: object,
  ) {
    const child = spawn(process.execPath, [script, JSON.stringify(given)], {
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    alive.add(child);
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString()).slice(-OUTPUT_KEPT);
    });
    this.ended = new Promise((resolve) =>
      child.once('close', () => {
        this.#isAlive = false;
        alive.delete(child);
        resolve();
      }),
    );
    this.message = new Promise((resolve, reject) => {
      child.once('message', (message) => resolve(message as Message));
      child.once('error', reject);
      void this.ended.then(() => reject(new Error(`${name} ended before it was ready: ${this.#output}`)));
    });
    this.message.catch(() => undefined);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get output(): string {
    return this.#output;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}
