import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { OTHER_PARTS, PART_BUDGETS } from './part-budgets.ts';

/**
 * Says what each part of the suite took of its budget, and writes `N passed, N failed` to TEST_TALLY_FILE. A file that
 * cannot be collected and a stray error are failures too; a part that took longer is none, because machines differ.
 */
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
    for (const line of partTimes(modules)) process.stdout.write(`${line}\n`);
  }
}

function partTimes(modules: readonly TestModule[]): readonly string[] {
  const seconds = new Map<string, number>();
  for (const module of modules) {
    const [, folder = ''] = relative(process.cwd(), module.moduleId).split('/');
    const part = folder.replace(/\.test\.ts$/, '');
    seconds.set(part, (seconds.get(part) ?? 0) + module.diagnostic().duration / 1000);
  }
  const parts = [...seconds].sort(([, a], [, b]) => b - a);
  return parts.map(([part, took]) => {
    const budget = PART_BUDGETS[part] ?? OTHER_PARTS;
    const over = took > budget ? '  OVER ITS BUDGET' : '';
    return `${part.padEnd(16)}${took.toFixed(0).padStart(5)} s of ${budget} s${over}`;
  });
}
