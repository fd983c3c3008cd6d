import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundleFunction } from './bundle-function.ts';
import type { EngineFunctionName } from './permissions.ts';

const isSource = import.meta.url.endsWith('.ts');
const CACHE = fileURLToPath(new URL('../node_modules/.cache/kagzi-bundles/', import.meta.url));
/** Where the package has them. */
const BUILT = fileURLToPath(new URL('../bundles/', import.meta.url));

const bundled = new Set<EngineFunctionName>();

/** The bundle of a function: as the package brings it, or made of the sources, once per process. */
export function functionCode(name: EngineFunctionName): Code {
  if (!isSource) {
    const directory = BUILT + name;
    if (!existsSync(directory)) throw new Error(`The package has no bundle of ${name}: ${directory} is missing.`);
    return Code.fromAsset(directory);
  }
  const directory = CACHE + name;
  if (!bundled.has(name)) bundleFunction(name, directory);
  bundled.add(name);
  return Code.fromAsset(directory);
}
