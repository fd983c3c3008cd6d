import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Runs a script of the simulator in a process of its own, because it replaces globals, and answers what it printed as JSON. */
export function runScript<T>(script: string, args: readonly string[]): Promise<T> {
  const flags = script.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const path = script.startsWith('/') ? script : join(ROOT, 'test/simulation', script);
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...flags, path, ...args, '--json'], {
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
