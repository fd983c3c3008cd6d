import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LogSink } from '../sdk/replay/log-sink.ts';
import { type HeldRunInfo, startEmbeddedWorker } from '../sdk/worker/embedded-worker.ts';
import { Registry } from '../sdk/worker/registry.ts';
import type { Engine } from '../shared/store/engine.ts';
import { checkReplay } from './check-replay.ts';
import { WorkflowLoader } from './load-workflows.ts';

export interface ServeFilesOptions {
  readonly log: LogSink;
  readonly logErrors: boolean;
  /** Whether every completed run is replayed, to see whether its code is deterministic. */
  readonly checkReplays: boolean;
  readonly paths: readonly string[];
  /** Told of every reload, with the types now served or why it was not possible. */
  readonly onReload: (result: { readonly types: readonly string[] } | { readonly problem: string }) => void;
}

export interface ServedFiles {
  readonly types: readonly string[];
  /** What is under way now. */
  readonly held: readonly HeldRunInfo[];
  stop(graceMs: number): Promise<void>;
}

const PLACE = { namespace: 'default', taskQueue: 'default', maxConcurrent: 10 };
/** Editors write a file in several strokes. */
const SETTLE_MS = 100;
/** Bodies under way when the code changes may end; what else the runs have to do, the new code does. */
const RELOAD_GRACE_MS = 10_000;

/** Serves the workflows of files inside the engine's process, and loads them anew when one of the files changes. */
export async function serveFiles(engine: Engine, options: ServeFilesOptions): Promise<ServedFiles> {
  const { paths, onReload, log, logErrors, checkReplays } = options;
  const loader = await WorkflowLoader.create();
  const serve = async () => {
    const workflows = await loader.load(paths);
    const worker = startEmbeddedWorker({
      ...PLACE,
      engine,
      registry: new Registry(workflows),
      log,
      logErrors,
      ...(checkReplays && {
        onCompleted: (run, workflow) => void checkReplay(engine, { ...PLACE, log }, run, workflow),
      }),
    });
    return { worker, types: [...new Set(workflows.map(({ type }) => type))] };
  };
  let served = await serve();
  const retiring = new Set<Promise<void>>();
  const retire = (worker: typeof served.worker): void => {
    const gone = worker.stop(RELOAD_GRACE_MS).finally(() => retiring.delete(gone));
    retiring.add(gone);
  };
  const reload = async (): Promise<void> => {
    try {
      const before = served;
      served = await serve();
      retire(before.worker);
      onReload({ types: served.types });
    } catch (error) {
      onReload({ problem: error instanceof Error ? error.message : String(error) });
    }
    watcher.follow(loader.files);
  };
  const watcher = new FilesWatcher(reload);
  watcher.follow(loader.files);
  return {
    types: served.types,
    get held() {
      return served.worker.held;
    },
    async stop(graceMs) {
      await watcher.close();
      await Promise.all([served.worker.stop(graceMs), ...retiring]);
    },
  };
}

/** Watches folders, because editors replace files rather than writing them. */
class FilesWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  #files: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #changing: Promise<void> = Promise.resolve();

  constructor(private readonly onChange: () => Promise<void>) {}

  follow(files: ReadonlySet<string>): void {
    this.#files = files;
    for (const folder of new Set([...files].map((file) => dirname(file)))) {
      if (this.#watchers.has(folder) || !existsSync(folder)) continue;
      const watcher = watch(folder, (_event, name) => this.#seen(folder, name));
      watcher.on('error', () => watcher.close());
      this.#watchers.set(folder, watcher);
    }
  }

  #seen(folder: string, name: string | null): void {
    const ours = [...this.#files].some((file) => dirname(file) === folder && basename(file) === name);
    if (!ours) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#changing = this.#changing.then(this.onChange);
    }, SETTLE_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    await this.#changing;
  }
}
