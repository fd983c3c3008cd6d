import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type PerformanceReport, performanceDoc, performancePlots } from './report/performance-doc.ts';

/** Writes docs/performance.md and its plots from what `npm run bench` and `npm run bench:peers` have printed with --json. */
const [speedFile, peersFile] = process.argv.slice(2);
if (speedFile === undefined) {
  process.stderr.write('Give the file of `npm run bench -- --json`, then that of `npm run bench:peers -- --json`.\n');
  process.exit(1);
}
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const report = {
  speed: read(speedFile),
  ...(peersFile === undefined ? {} : { peers: read(peersFile) }),
} as PerformanceReport;
const docs = new URL('../docs/', import.meta.url);
mkdirSync(new URL('performance/', docs), { recursive: true });
for (const [file, svg] of Object.entries(performancePlots(report))) {
  writeFileSync(new URL(`performance/${file}`, docs), svg);
}
writeFileSync(new URL('performance.md', docs), performanceDoc(report));
