import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { performanceDoc, performancePlots } from './report/performance-doc.ts';
import type { PerformanceReport } from './report/performance-report.ts';

/**
 * Writes docs/performance.md and its plots from the recorded figures; given the files that `npm run bench` and
 * `npm run bench:peers` have printed with --json, it records those first.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { note: { type: 'string', multiple: true, default: [] } },
});
const RECORDED = new URL('recorded/performance.json', import.meta.url);
const DOCS = new URL('../docs/', import.meta.url);
const read = (file: string | URL): unknown => JSON.parse(readFileSync(file, 'utf8'));

function record([speedFile, peersFile]: readonly string[]): void {
  if (speedFile === undefined) return;
  const peers = peersFile === undefined ? {} : { peers: read(peersFile) };
  const report = { notes: values.note, speed: read(speedFile), ...peers };
  mkdirSync(new URL('./', RECORDED), { recursive: true });
  writeFileSync(RECORDED, `${JSON.stringify(report, null, 2)}\n`);
}

record(positionals);
const report = read(RECORDED) as PerformanceReport;
mkdirSync(new URL('performance/', DOCS), { recursive: true });
for (const [file, svg] of Object.entries(performancePlots(report))) {
  writeFileSync(new URL(`performance/${file}`, DOCS), svg);
}
writeFileSync(new URL('performance.md', DOCS), performanceDoc(report));
