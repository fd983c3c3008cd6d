import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';

const START_TIMEOUT_MS = 25_000;

export interface ChildEngine {
  readonly port: number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Reads a pipe that closes when we die, however we die, and then kills the engine. */
const SUPERVISOR =
  'exec 3<&0; "$@" 3<&- >&2 & engine=$!; (cat >/dev/null; kill -9 $engine) <&3 & watcher=$!; wait $engine; kill $watcher';

/** Runs until stopped and dies with this process. */
export async function startChildEngine(
  command: string,
  args: (port: number) => readonly string[],
  isUp: (port: number) => Promise<boolean>,
): Promise<ChildEngine> {
  const port = await freePort();
  const child = spawn('sh', ['-c', SUPERVISOR, 'engine', command, ...args(port)], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  running.add(child);
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve();
    });
    child.once('exit', () => resolve());
  }).then(() => void running.delete(child));
  const stop = async (): Promise<void> => {
    child.stdin?.end();
    await ended;
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (running.has(child) && performance.now() < deadline) {
    if (await isUp(port).catch(() => false)) return { port, stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop();
  throw new Error(`${command} did not come up: ${output}`);
}
