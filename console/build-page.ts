import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';

const PAGE = new URL('page/', import.meta.url);

/** The page in four files, as text by their names. */
export async function buildPage(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    entryPoints: ['main.tsx', 'styles/app.css'].map((name) => ({ in: fileURLToPath(new URL(name, PAGE)), out: 'app' })),
    outdir: 'console',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
  });
  await stop();
  const files = new Map(outputFiles.map(({ path, text }) => [path.endsWith('.css') ? 'app.css' : 'app.js', text]));
  for (const name of ['index.html', 'icon.svg']) files.set(name, await readFile(new URL(name, PAGE), 'utf8'));
  return files;
}
