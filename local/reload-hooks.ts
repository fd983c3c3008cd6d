import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';

/** Runs in the thread of the module hooks: what a workflow file imports is loaded anew with every generation. */
export const GENERATION = 'kagzi-generation';

export interface ReloadData {
  /** What the package's own names mean, so that there is one copy of the SDK in the process. */
  readonly own: Readonly<Record<string, string>>;
  /** Told every file that belongs to a generation. */
  readonly port: MessagePort;
}

interface Resolved {
  readonly url: string;
  readonly format?: string | null | undefined;
  readonly shortCircuit?: boolean;
}

interface ResolveContext {
  readonly parentURL?: string;
}

type NextResolve = (specifier: string, context: ResolveContext) => Promise<Resolved>;

/** tsx marks files of CommonJS packages in their addresses. */
const TSX_MARK = /(%3F|\?)tsx-commonjs.*$/;

let data: ReloadData | undefined;

export function initialize(given: ReloadData): void {
  data = given;
}

const generationOf = (url: string | undefined): string | null =>
  url?.startsWith('file:') === true ? new URL(url).searchParams.get(GENERATION) : null;

export async function resolve(specifier: string, context: ResolveContext, next: NextResolve): Promise<Resolved> {
  const generation = generationOf(context.parentURL) ?? generationOf(specifier);
  if (generation === null) return next(specifier, context);
  const own = data?.own[specifier];
  if (own !== undefined) return next(own, context);
  const resolved = await next(specifier, context);
  if (!resolved.url.startsWith('file:')) return resolved;
  const url = new URL(resolved.url.replace(TSX_MARK, ''));
  if (url.pathname.includes('/node_modules/')) return resolved;
  url.searchParams.set(GENERATION, generation);
  data?.port.postMessage({ generation, file: fileURLToPath(url) });
  return { ...resolved, url: url.href, ...asModule(url.pathname, resolved) };
}

/** `npm init` makes packages CommonJS; a TypeScript file that imports is meant as a module all the same. */
const asModule = (path: string, { format }: Resolved): { readonly format?: string } =>
  path.endsWith('.ts') && format?.startsWith('commonjs') === true ? { format: 'module' } : {};
