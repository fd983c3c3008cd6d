import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sources } from './check-architecture.ts';

const SKIPPED = new Set(['node_modules', 'cdk.out', 'dist', 'coverage']);

/** Every .ts and .tsx file of the project, by its path from the root. */
export const readSources = (root: string): Sources => {
  const sources = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (SKIPPED.has(entry.name) || entry.name.startsWith('.')) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (/\.tsx?$/.test(entry.name)) sources.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  walk('');
  return sources;
};
