import { fileURLToPath } from 'node:url';
import { bundleEntry } from '../lambda/bundle-entry.ts';

/** It notes in the folder given what its bodies do. */
export const bundleWorker = (directory: string, ledgers: string): Promise<string> =>
  bundleEntry(fileURLToPath(new URL('chaos-worker.ts', import.meta.url)), directory, {
    LEDGERS: JSON.stringify(ledgers),
  });
