import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Writes `N passed, N failed` to TEST_TALLY_FILE. A file that cannot be collected and a stray error are failures too. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = strayErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') failed += 1;
      }
    }
    const path = process.env['TEST_TALLY_FILE'];
    if (path) writeFileSync(path, `${passed} passed, ${failed} failed\n`);
  }
}
