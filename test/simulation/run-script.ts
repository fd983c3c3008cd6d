import { spawn } from 'node:child_process';
import { bundled, ROOT } from './bundle.ts';

/** The young generation is large: most of what a play makes is gone soon. */
export const FLAGS = ['--max-semi-space-size=32'];

/** Runs a script of the simulator in a process of its own, because it replaces globals, and answers what it printed as JSON. */
export async function runScript<T>(script: string, args: readonly string[]): Promise<T> {
  const path = script.endsWith('.ts') ? await bundled(script) : script;
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...FLAGS, path, ...args, '--json'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on('error', fail);
    child.on('close', (code) => {
      try {
        done(JSON.parse(text) as T);
      } catch {
        fail(new Error(`${script} ${args.join(' ')} ended with ${code} and without a report`));
      }
    });
  });
}
