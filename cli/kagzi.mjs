#!/usr/bin/env node
// In the repository the command runs from its source; in the package there is only dist/.
import { existsSync } from 'node:fs';

if (existsSync(new URL('main.ts', import.meta.url))) {
  await import('tsx');
  await import('./main.ts');
} else {
  await import('../dist/cli/main.js');
}
