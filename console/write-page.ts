import { mkdirSync, writeFileSync } from 'node:fs';
import { buildPage } from './build-page.ts';

/** Into the package: `npm run build` calls it. */
const PLACE = new URL('../dist/console/', import.meta.url);

mkdirSync(PLACE, { recursive: true });
for (const [name, text] of await buildPage()) writeFileSync(new URL(name, PLACE), text);
