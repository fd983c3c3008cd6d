import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export type Context = Readonly<Record<string, unknown>>;

/** What `cdk synth` does: runs the app of cdk.json, or another, with the context of cdk.json and some more. */
export async function synthesise(directory: string, context: Context, other?: string): Promise<void> {
  const { app, context: declared } = JSON.parse(readFileSync(`${ROOT}cdk.json`, 'utf8')) as {
    readonly app: string;
    readonly context: Context;
  };
  const env = {
    ...process.env,
    CDK_OUTDIR: directory,
    CDK_CONTEXT_JSON: JSON.stringify({ ...declared, ...context }),
  };
  await promisify(execFile)('sh', ['-c', other ?? app], { cwd: ROOT, env, maxBuffer: 2 ** 26 });
}
