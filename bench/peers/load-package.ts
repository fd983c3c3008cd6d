import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A package of a peer, which TypeScript does not know: the caller says what it uses of it. */
export async function loadPackage<T>(folder: string | undefined, name: string): Promise<T> {
  if (folder === undefined) throw new Error(`where is ${name}?`);
  const file = createRequire(join(folder, 'package.json')).resolve(name);
  const loaded = (await import(pathToFileURL(file).href)) as T & { readonly default?: T };
  return loaded.default ?? loaded;
}
