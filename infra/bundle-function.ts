import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, BuildResult } from 'esbuild';
import type { EngineFunctionName } from './permissions.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export const FUNCTION_NAMES: readonly EngineFunctionName[] = [
  'api',
  'worker',
  'wake',
  'watchdog',
  'dead-letters',
  'run-events',
];
/** Of the one file of a bundle; `index.handler` is its handler. */
export const BUNDLE_FILE = 'index.mjs';
/** In KB of 1,000 bytes, minified: what a function loads before it serves anything. */
export const BUNDLE_LIMITS_KB: Readonly<Record<string, number>> = { api: 750, watchdog: 600 };

const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  mainFields: ['module', 'main'],
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  logLevel: 'error',
  absWorkingDir: ROOT,
  alias: {
    // A function has its credentials in the environment: it needs neither profiles, nor single sign-on, nor roles to assume.
    '@aws-sdk/credential-provider-node': './shared/aws/function-credentials.ts',
    '@aws-sdk/middleware-endpoint-discovery': './shared/aws/no-endpoint-discovery.ts',
  },
} as const satisfies BuildOptions;

/** One minified ES module with everything in it, the AWS SDK included. Only here, where the sources are. */
export function bundleFunction(name: EngineFunctionName, directory: string): BuildResult<typeof OPTIONS> {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  return buildSync({
    ...OPTIONS,
    entryPoints: [`functions/${name}/handler.ts`],
    outfile: `${directory}/${BUNDLE_FILE}`,
  });
}
