import { fileURLToPath } from 'node:url';
import { bundleFunction, FUNCTION_NAMES } from './bundle-function.ts';

/** Into the package, so that whoever has it needs neither the sources nor esbuild. The worker of the examples stays here. */
for (const name of FUNCTION_NAMES.filter((each) => each !== 'worker')) {
  bundleFunction(name, fileURLToPath(new URL(`../dist/bundles/${name}`, import.meta.url)));
}
