import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export const KAGZI = fileURLToPath(new URL('../../cli/kagzi.mjs', import.meta.url));

export interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly output: () => string;
  /** Answers once the text was printed, on either stream; rejects if the process ends before. */
  printed(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function startProcess(command: string, args: readonly string[], { cwd, env }: SpawnOptions = {}): Running {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  const output = (): string => texts.stdout + texts.stderr;
  const looks = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      texts[stream] += chunk.toString();
      for (const look of looks) look();
    });
  }
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => resolve({ code: code ?? signal, ...texts })),
  );
  return {
    output,
    ended,
    kill: (signal) => void child.kill(signal),
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => void (output().includes(text) && resolve());
        looks.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without ${JSON.stringify(text)}: ${output()}`)));
      }),
  };
}

export const startKagzi = (args: readonly string[], options?: SpawnOptions): Running =>
  startProcess(process.execPath, [KAGZI, ...args], options);

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { readonly port: number };
      probe.close(() => resolve(port));
    });
  });
}
