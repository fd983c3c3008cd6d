import { describe, it } from 'vitest';

/** A suite that cannot run here: its name says why, in the report and on the console. */
export function skipLoudly(name: string, why: string): void {
  const title = `${name}: SKIPPED, ${why}`;
  console.warn(title);
  describe.skipIf(true)(title, () => {
    it('runs where it can', () => undefined);
  });
}
