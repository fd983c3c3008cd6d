import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { performanceDoc, performancePlots } from '../../bench/report/performance-doc.ts';
import type { PerformanceReport } from '../../bench/report/performance-report.ts';

const machine = { node: 'v24', system: 'linux', cpu: 'cpu', cores: 2, memoryGb: 8, fsyncMs: 0.2 };
const measured = { at: '2026-11-20T00:00:00.000Z', sizes: 'full' } as const;
const speed: PerformanceReport['speed'] = {
  measured,
  machine,
  limit: { msPerRun: 1, stepsPerS: 70_000 },
  w1: { p50Ms: 3, p99Ms: 5 },
  w9: {
    clients: [
      { clients: 1, runsPerS: 10, stepsPerS: 100 },
      { clients: 8, runsPerS: 40, stepsPerS: 400 },
    ],
    finished: [{ finished: 1_000_000, runsPerS: 30, stepsPerS: 300, p50Ms: 4, p99Ms: 9 }],
  },
};
const ours = { w1: { p50Ms: 3, p99Ms: 5 }, w2: { runsPerS: 100, stepsPerS: 1_000 } };
const theirs = { version: 'Restate 1', w1: { p50Ms: 9, p99Ms: 20 }, w2: { runsPerS: 50, stepsPerS: 500 } };
const ratios = { 'w1.p50Ms': 0.333, 'w2.stepsPerS': 2 };
const peers = { measured, machine, ours, oursOverHttp: ours, peers: { restate: theirs }, skipped: {}, ratios };
const notes = ['It was noisy.'];

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('docs/performance.md and its plots', () => {
  const recorded = JSON.parse(file('bench/recorded/performance.json')) as PerformanceReport;

  it('are what the recorded figures give', () => {
    expect(file('docs/performance.md')).toBe(performanceDoc(recorded));
    for (const [plot, svg] of Object.entries(performancePlots(recorded))) {
      expect(file(`docs/performance/${plot}`)).toBe(svg);
    }
  });

  it('are of all workloads, and of a peer', () => {
    const { speed, peers } = recorded;
    const asked = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9'] as const;
    expect(asked.filter((workload) => speed[workload] === undefined)).toEqual([]);
    expect(Object.keys(peers?.peers ?? {}).length).toBeGreaterThan(0);
  });
});

describe('the report of performance', () => {
  it('draws throughput and latency against load and store size, and the peers beside us', () => {
    const plots = performancePlots({ notes, speed, peers });
    expect(Object.keys(plots).sort()).toEqual([
      'clients.svg',
      'peers-latency.svg',
      'peers-throughput.svg',
      'store-size-latency.svg',
      'store-size.svg',
    ]);
    expect(plots['store-size.svg']).toContain('1,000,000');
    expect(plots['clients.svg']?.match(/<circle/g)).toHaveLength(2);
    expect(plots['peers-latency.svg']).toContain('restate');
  });

  it('shows every plot it writes, and says when nobody else was measured', () => {
    const whole = performanceDoc({ notes, speed, peers });
    for (const plot of Object.keys(performancePlots({ notes, speed, peers }))) {
      expect(whole).toContain(`performance/${plot}`);
    }
    expect(whole).toContain('w1.p50Ms');
    expect(whole).toContain('It was noisy.');
    expect(performanceDoc({ notes, speed })).toContain('No other engine was measured');
  });

  it('says of every aim whether it is reached, and by how much it is not', () => {
    const whole = performanceDoc({ notes, speed, peers });
    expect(whole).toContain('| W1, p50 over that of the best peer | 0.333× | at most 0.333× | holds |');
    expect(whole).toContain('| at least 4×, hoped for 8× | **falls short**, by a factor of 2.00 |');
  });
});

describe('npm run bench:report', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const recordedFile = 'bench/recorded/performance.json';

  /** What it says of files with these contents; nothing may be recorded of them. */
  function refusal(...contents: readonly string[]): string {
    const folder = mkdtempSync(join(tmpdir(), 'kagzi-report-'));
    const before = file(recordedFile);
    try {
      const files = contents.map((content, index) => {
        const path = join(folder, `${index}.json`);
        writeFileSync(path, content);
        return path;
      });
      const args = ['--import', 'tsx', 'bench/report.ts', ...files];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
      expect(status).toBe(1);
      expect(file(recordedFile)).toBe(before);
      return stderr;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const recorded = JSON.parse(file(recordedFile)) as PerformanceReport;

  it('records nothing but full measurements of everything', () => {
    expect(refusal('{')).toMatch(/0\.json cannot be read: /);
    expect(refusal('{}')).toContain('it lacks measured, machine, limit');
    const quick = { ...recorded.speed, measured: { ...measured, sizes: 'quick' } };
    expect(refusal(JSON.stringify(quick))).toContain('not measured in full, but with "quick" sizes');
    expect(refusal(JSON.stringify({ ...recorded.speed, measured }), JSON.stringify(recorded.speed))).toContain(
      '1.json is not what bench:peers --json prints',
    );
  });
});
