import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As in tsconfig.json: examples know the package by its name.
  resolve: { alias: { kagzi: fileURLToPath(new URL('sdk/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 30_000,
    reporters: process.env['TEST_TALLY_FILE'] ? ['default', './test/helpers/tally-reporter.ts'] : ['default'],
  },
});
