import { writeFileSync } from 'node:fs';
import { settingsDoc } from './settings-doc.ts';

writeFileSync(new URL('settings.md', import.meta.url), settingsDoc());
