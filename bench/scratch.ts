import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();
let isWatching = false;
/** By convention 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

function removeAll(): void {
  for (const folder of folders) removeScratch(folder);
}

/** Takes it away when this process ends, however it does but by SIGKILL. */
export function removeAtExit(folder: string): void {
  if (!isWatching) {
    isWatching = true;
    process.once('exit', removeAll);
    for (const [signal, code] of Object.entries(SIGNALS)) process.once(signal, () => process.exit(code));
  }
  folders.add(folder);
}

/** A folder of its own among the temporary ones, gone with this process at the latest. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `kagzi-${name}-`));
  removeAtExit(folder);
  return folder;
}

export function removeScratch(folder: string): void {
  // A server that was killed just now may still have its files open.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  folders.delete(folder);
}
