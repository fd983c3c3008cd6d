import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** As infra bundles functions, in one file; it notes in the folder given what its bodies do. */
export async function bundleWorker(directory: string, ledgers: string): Promise<string> {
  await build({
    entryPoints: [fileURLToPath(new URL('chaos-worker.ts', import.meta.url))],
    outfile: `${directory}/index.mjs`,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    define: { LEDGERS: JSON.stringify(ledgers) },
    logLevel: 'warning',
  });
  return directory;
}
