import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { HeldRunInfo } from '../sdk/worker/embedded-worker.ts';
import { explainStart } from './explain-start.ts';
import { Logger } from './logger.ts';
import { type ServedFiles, type ServeFilesOptions, serveFiles } from './serve-files.ts';
import { type LocalServer, startServer } from './server.ts';
import { loadSettings, type Settings } from './settings.ts';
import { keepHeapSmall } from './small-heap.ts';
import { welcome } from './welcome.ts';

export interface RunServerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files whose workflows are served in this process. */
  readonly workflows: (settings: Settings) => readonly string[];
  /** Least level of what workflows log; that of the server if not given. */
  readonly workflowLogLevel?: Settings['logLevel'];
  /** Whether completed runs are replayed, to see whether their code is deterministic. */
  readonly checkReplays?: boolean;
  /** Whether messages of errors go to the log, too. */
  readonly logErrors?: boolean;
}

/** Without what is for the commands; the server would warn that it does not know it. */
const forServer = (env: RunServerOptions['env']): RunServerOptions['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^KAGZI_(URL|URL_.+|SIGN)$/.test(name)));

const toLog = (line: string): void => void process.stderr.write(line);

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Serves until a signal ends it; this process is the server's from here on. */
export async function runServer(options: RunServerOptions): Promise<void> {
  const { env, workflows, workflowLogLevel, checkReplays = false, logErrors = false } = options;
  keepHeapSmall();
  let settings: Settings | undefined;
  try {
    const loaded = loadSettings(forServer(env), (path) => readFileSync(path, 'utf8'));
    settings = { ...loaded.settings, dataDir: resolve(loaded.settings.dataDir) };
    for (const warning of loaded.warnings) process.stderr.write(`${warning}\n`);
    const server = await startServer(settings, toLog);
    const served = await serve(
      server,
      { ...settings, logLevel: workflowLogLevel ?? settings.logLevel },
      { paths: workflows(settings), checkReplays, logErrors },
    );
    stopOnSignal(server, served, settings);
    process.stdout.write(welcome({ ...server, types: served?.types ?? [] }, settings));
  } catch (error) {
    fail(explainStart(error, settings));
  }
}

async function serve(
  server: LocalServer,
  settings: Settings,
  options: Pick<ServeFilesOptions, 'paths' | 'checkReplays' | 'logErrors'>,
): Promise<ServedFiles | null> {
  if (options.paths.length === 0) return null;
  const logger = new Logger({ level: settings.logLevel, format: settings.logFormat, now: Date.now, write: toLog });
  try {
    return await serveFiles(server.embedded.engine, {
      ...options,
      log: logger.log.bind(logger),
      onReload: (result) =>
        'types' in result
          ? logger.log('info', 'workflows loaded anew', { types: result.types.join(', ') })
          : logger.log('error', 'the workflows stay as they were', { problem: result.problem }),
    });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Why it may take a while, and how to make it short. */
function farewell(held: readonly HeldRunInfo[], graceSecs: number): string {
  const under = held.map(({ runId, workflowType }) => `  ${workflowType} ${runId}\n`).join('');
  if (under === '') return 'Stopping: no new work, requests in flight finish first.\n';
  return `Stopping: steps under way may end within ${graceSecs} s; what is left of these runs goes on at the next start. Once more stops at once.\n${under}`;
}

function stopOnSignal(server: LocalServer, served: ServedFiles | null, settings: Settings): void {
  let stopping = false;
  const stop = async (): Promise<void> => {
    await served?.stop(settings.shutdownGraceSecs * 1000);
    await server.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      process.stdout.write(farewell(served?.held ?? [], settings.shutdownGraceSecs));
      stop().then(
        () => process.exit(0),
        (error: unknown) => fail(explainStart(error)),
      );
    });
  }
}
