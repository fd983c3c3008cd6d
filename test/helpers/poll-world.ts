import { rmSync } from 'node:fs';
import { type LocalServer, startServer } from '../../local/server.ts';
import { loadSettings } from '../../local/settings.ts';
import type { AnyWorkflow } from '../../sdk/context.ts';
import { type Client, createClient } from '../../sdk/index.ts';
import { type PollingWorker, type PollWorkerParts, startPollWorker } from '../../sdk/worker/poll-worker.ts';
import { Registry } from '../../sdk/worker/registry.ts';
import type { Engine } from '../../shared/store/engine.ts';
import { temporaryDirectory } from './embedded-store.ts';

export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

type Env = Readonly<Record<string, string>>;

/** A server with short leases, and poll workers that serve it from this process. */
export class PollWorld {
  readonly log: Logged[] = [];
  readonly #workers: PollingWorker[] = [];
  readonly #directory: string;
  #server: LocalServer;
  readonly #port: string;

  static async open(settings: Env = {}): Promise<PollWorld> {
    const directory = temporaryDirectory();
    return new PollWorld(directory, settings, await serve(directory, '0', settings));
  }

  private constructor(
    directory: string,
    private readonly settings: Env,
    server: LocalServer,
  ) {
    this.#directory = directory;
    this.#server = server;
    this.#port = new URL(server.url).port;
  }

  get url(): string {
    return this.#server.url;
  }

  get engine(): Engine {
    return this.#server.embedded.engine;
  }

  get client(): Client {
    return createClient({ url: this.url });
  }

  serve(workflows: readonly AnyWorkflow[], options: Partial<PollWorkerParts> = {}): PollingWorker {
    const worker = startPollWorker({
      url: this.url,
      namespace: 'default',
      taskQueue: 'default',
      maxConcurrent: 10,
      registry: new Registry(workflows),
      signals: false,
      log: (level, message, fields) => this.log.push({ level, message, fields }),
      ...options,
    });
    this.#workers.push(worker);
    return worker;
  }

  async get<T>(path: string): Promise<T> {
    return (await (await fetch(`${this.url}/v1/default${path}`)).json()) as T;
  }

  async post(path: string, body: unknown = {}): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    await fetch(`${this.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  logged(message: string): Promise<void> {
    return until(() => this.log.some((line) => line.message.includes(message)));
  }

  /** The server goes, and another comes on the same port and store. */
  async restart(): Promise<void> {
    await this.#server.stop();
    this.#server = await serve(this.#directory, this.#port, this.settings);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#workers.map((worker) => worker.stop()));
    await this.#server.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function serve(directory: string, port: string, settings: Env): Promise<LocalServer> {
  const env = {
    KAGZI_DATA_DIR: directory,
    KAGZI_SERVER_PORT: port,
    KAGZI_LEASE_SECS: '2',
    KAGZI_WATCHDOG_WORKER_STALE_THRESHOLD_SECS: '3',
    KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS: '1',
    KAGZI_SHUTDOWN_GRACE_SECS: '0',
    KAGZI_LOG_LEVEL: 'error',
    ...settings,
  };
  return startServer(loadSettings(env, () => '').settings, () => undefined);
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Something that a test opens when it has seen enough. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
