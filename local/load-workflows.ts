import { register } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import type { AnyWorkflow } from '../sdk/context.ts';
import { isWorkflow } from '../sdk/define-workflow.ts';
import { GENERATION, type ReloadData } from './reload-hooks.ts';

/** A person can mend it: shown without a stack. */
export class WorkflowFileError extends Error {
  override readonly name = 'WorkflowFileError';
}

/** `.ts` in the repository, `.js` in the package. */
const EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const here = (path: string): string => new URL(path + EXTENSION, import.meta.url).href;

/** Loads workflow files, in TypeScript or JavaScript, anew each time it is asked. */
export class WorkflowLoader {
  #generation = 0;
  #imported = new Set<string>();

  static async create(): Promise<WorkflowLoader> {
    // Run from source, tsx is there already.
    if (EXTENSION === '.js') (await import('tsx/esm/api')).register();
    const loader = new WorkflowLoader();
    const { port1, port2 } = new MessageChannel();
    port1.on('message', ({ file }: { readonly file: string }) => loader.#imported.add(file));
    port1.unref();
    const own = {
      kagzi: here('../sdk/index'),
      'kagzi/testing': here('../sdk/testing/index'),
      'kagzi/embedded': here('./embedded'),
    };
    const data: ReloadData = { own, port: port2 };
    register(here('./reload-hooks'), { data, transferList: [port2] });
    return loader;
  }

  /** The files of the last load and what they import, node_modules left out; those of a failed one included. */
  get files(): ReadonlySet<string> {
    return this.#imported;
  }

  async load(paths: readonly string[]): Promise<readonly AnyWorkflow[]> {
    this.#generation += 1;
    this.#imported = new Set(paths.map((path) => resolve(path)));
    const found = new Set<AnyWorkflow>();
    for (const path of paths) {
      for (const workflow of await this.#loadFile(resolve(path))) found.add(workflow);
    }
    // The messages of the hooks' thread may be a turn behind.
    await new Promise((done) => setImmediate(done));
    return [...found];
  }

  async #loadFile(path: string): Promise<readonly AnyWorkflow[]> {
    const url = pathToFileURL(path);
    url.searchParams.set(GENERATION, String(this.#generation));
    let exported: Readonly<Record<string, unknown>>;
    try {
      exported = (await import(url.href)) as Readonly<Record<string, unknown>>;
    } catch (cause) {
      throw new WorkflowFileError(`${path} cannot be loaded: ${reasonOf(cause, url)}`, { cause });
    }
    const workflows = Object.values(exported).flat().filter(isWorkflow);
    if (workflows.length === 0) {
      throw new WorkflowFileError(
        `${path} exports no workflow: export what defineWorkflow returns, by name or as an array by default.`,
      );
    }
    return workflows;
  }
}

function reasonOf(cause: unknown, url: URL): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code, message } = cause as NodeJS.ErrnoException;
  if ((code === 'ERR_MODULE_NOT_FOUND' || code === 'ENOENT') && message.includes(fileURLToPath(url))) {
    return 'there is no such file.';
  }
  return message;
}
