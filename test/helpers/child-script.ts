import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ChildScript {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** Answers once that many lines were printed, or the process has ended. */
  printed(count: number): Promise<void>;
  /** SIGKILL; answers when it is gone and its output was read. */
  kill(): Promise<void>;
}

export function startScript(name: string, args: readonly string[]): ChildScript {
  const script = fileURLToPath(new URL(`./${name}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let onLine = (): void => undefined;
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    lines.push(line);
    onLine();
  });
  const ended = new Promise<void>((resolve) => reader.on('close', resolve));
  return {
    process: child,
    lines,
    printed: (count) =>
      Promise.race([
        ended,
        new Promise<void>((resolve) => {
          onLine = () => lines.length >= count && resolve();
          onLine();
        }),
      ]),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
