import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../local/main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface ChildServer {
  readonly url: string;
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Answers the exit code, or the signal it died of. */
  stop(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number | string | null>;
}

export interface EndedServer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string>>;

const launch = (env: Env): ChildProcess =>
  spawn(process.execPath, ['--import', 'tsx', MAIN], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', KAGZI_SERVER_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const ended = (child: ChildProcess): Promise<number | string | null> =>
  new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));

/** The server as `npm start` starts it, on a free port unless told otherwise. */
export async function startChildServer(env: Env): Promise<ChildServer> {
  const child = launch(env);
  const exit = ended(child);
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /API +(http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void exit.then((code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
  return {
    url,
    process: child,
    output: () => output,
    stop(signal) {
      child.kill(signal);
      return exit;
    },
  };
}

/** For a server that is expected to give up by itself. */
export async function runServerToEnd(env: Env): Promise<EndedServer> {
  const child = launch(env);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await ended(child);
  return { code: typeof code === 'number' ? code : null, stdout, stderr };
}
