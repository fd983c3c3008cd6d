import { build } from 'esbuild';

/** As infra bundles functions, in one file in the folder given. */
export async function bundleEntry(
  entry: string,
  directory: string,
  define: Readonly<Record<string, string>> = {},
): Promise<string> {
  await build({
    entryPoints: [entry],
    outfile: `${directory}/index.mjs`,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    define,
    logLevel: 'warning',
  });
  return directory;
}
