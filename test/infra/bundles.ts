import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLE_FILE, BUNDLE_LIMITS_KB, bundleFunction, FUNCTION_NAMES } from '../../infra/bundle-function.ts';

describe('the bundle of', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'kagzi-bundles-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each(FUNCTION_NAMES.filter((name) => name in BUNDLE_LIMITS_KB))('%s is within its limit', (name) => {
    bundleFunction(name, join(directory, name));
    const kb = statSync(join(directory, name, BUNDLE_FILE)).size / 1000;
    expect(kb).toBeLessThan(BUNDLE_LIMITS_KB[name] ?? 0);
  });
});
