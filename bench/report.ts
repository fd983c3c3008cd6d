import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PeersReport } from './peers/measure-peers.ts';
import { PlainError, runCommand } from './plain-error.ts';
import { performanceDoc, performancePlots } from './report/performance-doc.ts';
import type { PerformanceReport } from './report/performance-report.ts';
import type { SpeedReport } from './speed/measure-all.ts';

const RECORDED = new URL('recorded/performance.json', import.meta.url);
const DOCS = new URL('../docs/', import.meta.url);
const PLOTS = new URL('performance/', DOCS);

function read(file: string | URL): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new PlainError(`${String(file)} cannot be read: ${(error as Error).message}`);
  }
}

/** What is recorded is shown as the truth: nothing less than a full measurement of everything. */
function measuredIn<R extends SpeedReport | PeersReport>(file: string, command: string, parts: readonly string[]): R {
  const report = read(file) as Partial<R> | null;
  const missing = parts.filter((part) => (report as Record<string, unknown> | null)?.[part] === undefined);
  if (missing.length > 0)
    throw new PlainError(`${file} is not what ${command} prints: it lacks ${missing.join(', ')}.`);
  const sizes = report?.measured?.sizes;
  if (sizes !== 'full') throw new PlainError(`${file} was not measured in full, but with "${sizes}" sizes.`);
  return report as R;
}

const WORKLOADS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9'];

function record([speedFile, peersFile, ...others]: readonly string[], notes: readonly string[]): void {
  if (speedFile === undefined) return;
  if (others.length > 0) throw new PlainError(`Give one file of bench and one of bench:peers, not also ${others[0]}.`);
  const speed = measuredIn<SpeedReport>(speedFile, 'bench --json', [
    'measured',
    'machine',
    'limit',
    'http',
    ...WORKLOADS,
  ]);
  const parts = ['measured', 'machine', 'ours', 'oursOverHttp', 'peers', 'skipped', 'ratios'];
  const peers =
    peersFile === undefined ? {} : { peers: measuredIn<PeersReport>(peersFile, 'bench:peers --json', parts) };
  const report: PerformanceReport = { notes, speed, ...peers };
  mkdirSync(new URL('./', RECORDED), { recursive: true });
  writeFileSync(RECORDED, `${JSON.stringify(report, null, 2)}\n`);
}

/**
 * Writes docs/performance.md and its plots from the recorded figures; given the files that `npm run bench` and
 * `npm run bench:peers` have printed with --json, it records those first.
 */
await runCommand(() => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { note: { type: 'string', multiple: true, default: [] } },
  });
  record(positionals, values.note);
  const report = read(RECORDED) as PerformanceReport;
  const plots = performancePlots(report);
  mkdirSync(PLOTS, { recursive: true });
  for (const file of readdirSync(PLOTS)) if (!Object.hasOwn(plots, file)) rmSync(new URL(file, PLOTS));
  for (const [file, svg] of Object.entries(plots)) writeFileSync(new URL(file, PLOTS), svg);
  writeFileSync(new URL('performance.md', DOCS), performanceDoc(report));
});
