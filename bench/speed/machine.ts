import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { monotonicMs } from './monotonic.ts';
import { median, rounded } from './statistics.ts';

/** What figures are to be read with. */
export interface Machine {
  readonly node: string;
  readonly system: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** Of 4 KB appended to a file in the folder where stores are measured. */
  readonly fsyncMs: number;
}

const SYNCS = 200;

function fsyncMs(): number {
  const folder = scratchFolder('bench');
  const file = openSync(join(folder, 'file'), 'w');
  const page = Buffer.alloc(4096, 1);
  try {
    const all = Array.from({ length: SYNCS }, () => {
      const since = monotonicMs();
      writeSync(file, page);
      fdatasyncSync(file);
      return monotonicMs() - since;
    });
    return rounded(median(all));
  } finally {
    closeSync(file);
    removeScratch(folder);
  }
}

export const machine = (node = process.version): Machine => ({
  node,
  system: `${platform()} ${arch()}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  fsyncMs: fsyncMs(),
});
