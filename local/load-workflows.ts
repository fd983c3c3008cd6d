import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import type { AnyWorkflow } from '../sdk/context.ts';
import { isWorkflow } from '../sdk/define-workflow.ts';
import { GENERATION, type ReloadData } from './reload-hooks.ts';

/** A person can mend it: shown without a stack. */
export class WorkflowFileError extends Error {
  override readonly name = 'WorkflowFileError';
}

const QUERY = new RegExp(`\\?${GENERATION}=\\d+`, 'g');
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
    await this.#heard();
    return [...found];
  }

  /** The messages of the hooks' thread may be a turn behind. */
  async #heard(): Promise<void> {
    await new Promise((done) => setImmediate(done));
  }

  async #loadFile(path: string): Promise<readonly AnyWorkflow[]> {
    const url = pathToFileURL(path);
    url.searchParams.set(GENERATION, String(this.#generation));
    let exported: Readonly<Record<string, unknown>>;
    try {
      exported = (await import(url.href)) as Readonly<Record<string, unknown>>;
    } catch (cause) {
      await this.#heard();
      throw new WorkflowFileError(`${path} cannot be loaded: ${reasonOf(cause, path, this.files)}`, { cause });
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

const MISSING = /^Cannot find module '([^']+)'/;

/** With the line where it happened, if that is in one of the author's files and not told anyway. */
function reasonOf(cause: unknown, path: string, files: ReadonlySet<string>): string {
  if (!(cause instanceof Error)) return String(cause);
  const { message, stack = '' } = cause;
  if (MISSING.exec(message)?.[1] === path) return 'there is no such file.';
  const places = stack.replaceAll(QUERY, '').match(/[^\s()]+:\d+(:\d+)?/g) ?? [];
  const place = places
    .map((found) => found.replace(/^file:\/\//, ''))
    .find((found) => files.has(found.replace(/(:\d+)+$/, '')));
  return place === undefined || message.includes(place) ? message : `${message} (${place})`;
}
