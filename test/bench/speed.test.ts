import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SpeedReport } from '../../bench/speed/measure-all.ts';
import { median, percentile } from '../../bench/speed/statistics.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const bench = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'bench/speed.ts', ...args], { cwd: ROOT });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });

const number = expect.any(Number) as number;
const latency = { p50Ms: number, p99Ms: number };
const throughput = { runsPerS: number, stepsPerS: number };

describe('npm run bench', () => {
  it('measures every workload, in process and over HTTP, beside the limit', { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await bench('--tiny', '--json');
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as SpeedReport;
    const client = {
      w1: latency,
      w2: throughput,
      w3: latency,
      w4: latency,
      w6: { p50LateMs: number, maxLateMs: number },
      w8: { runs: 20, rssMb: number },
    };
    const clients = [1, 2].map((count) => ({ clients: count, ...throughput }));
    expect(report).toEqual({
      measured: { at: expect.any(String) as unknown, sizes: 'tiny' },
      machine: expect.objectContaining({ node: process.version, fsyncMs: number }) as unknown,
      limit: { msPerRun: number, stepsPerS: number },
      ...client,
      w5: { resumedMs: number, reExecuted: 0 },
      w7: { steps: 200, firstMs: number, lastMs: number, lastOverFirst: number },
      w9: {
        clients,
        finished: [0, 20].map((finished) => ({ finished, ...throughput, ...latency })),
        waiting: { waiting: 20, ...throughput, ...latency },
        fullOverEmpty: number,
      },
      http: { ...client, w9: { clients } },
    });
    expect(report.w6?.maxLateMs).toBeGreaterThanOrEqual(0);
  });

  it('measures what it is asked for', { timeout: 60_000 }, async () => {
    const { code, stdout } = await bench('--tiny', '--json', '--only', 'w3', '--skip-http');
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(stdout) as object).sort()).toEqual(['limit', 'machine', 'measured', 'w3']);
  });

  it('refuses a workload it does not know', async () => {
    const { code, stdout, stderr } = await bench('--only', 'w1,w10');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('There is no workload "w10"');
  });
});

describe('the statistics of samples', () => {
  it('find the least sample that is not exceeded by so many', () => {
    const samples = [5, 1, 4, 2, 3];
    expect([0, 0.2, 0.5, 0.9, 1].map((part) => percentile(samples, part))).toEqual([1, 1, 3, 5, 5]);
    expect(median([2, 1])).toBe(1);
  });

  it('refuse to say anything of none', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});
