import type { OpenedTable } from '../contract/table-under-test.ts';
import { simulate } from './simulate.ts';

export interface MirroredReport {
  readonly seeds: number;
  readonly calls: number;
  readonly violations: readonly { readonly seed: number; readonly invariant: string; readonly message: string }[];
}

/** Plays seeds on the simulated table and on a real one at once: every answer must be the same. */
export async function playMirrored(
  open: () => Promise<OpenedTable>,
  seeds: number,
  from: number,
): Promise<MirroredReport> {
  const violations: { seed: number; invariant: string; message: string }[] = [];
  let calls = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const mirror = await open();
    try {
      const report = await simulate({ seed, mirror: mirror.table });
      calls += report.calls;
      violations.push(...report.violations.slice(0, 1).map((violation) => ({ seed, ...violation })));
    } finally {
      await mirror.close();
    }
  }
  return { seeds, calls, violations };
}
