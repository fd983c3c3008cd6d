import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));

export interface RuntimeScripts {
  readonly runtime: string;
  readonly preload: string;
}

/** Plain JavaScript, so that an execution environment starts as quickly as it can. */
export async function bundleRuntime(outdir: string): Promise<RuntimeScripts> {
  await build({
    entryPoints: {
      'lambda-runtime': join(HERE, 'lambda-runtime.ts'),
      'clock-preload': join(HERE, '../clock/clock-preload.ts'),
    },
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  });
  return { runtime: join(outdir, 'lambda-runtime.mjs'), preload: join(outdir, 'clock-preload.mjs') };
}
