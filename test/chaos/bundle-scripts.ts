import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Loads a binary beside itself, so it stays where it is. */
const NATIVE = '@photostructure/sqlite';

export interface Scripts {
  readonly worker: string;
  readonly engine: string;
}

/** Plain JavaScript in one file each: hundreds of processes start quickly. */
export async function bundleScripts(outdir: string): Promise<Scripts> {
  await build({
    entryPoints: [join(HERE, 'worker-process.ts'), join(HERE, 'engine-process.ts')],
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
    plugins: [
      {
        name: 'native modules stay outside',
        setup: (esbuild) =>
          esbuild.onResolve({ filter: /^@photostructure\/sqlite$/ }, () => ({
            path: import.meta.resolve(NATIVE),
            external: true,
          })),
      },
    ],
  });
  return { worker: join(outdir, 'worker-process.mjs'), engine: join(outdir, 'engine-process.mjs') };
}
