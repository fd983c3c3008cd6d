import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ratios } from '../../bench/peers/ratios.ts';

const figures = (p50Ms: number, stepsPerS: number) => ({
  w1: { p50Ms, p99Ms: 10 * p50Ms },
  w2: { runsPerS: stepsPerS / 10, stepsPerS },
});

describe('the ratios to the peers', () => {
  it('compare with whoever is best in each figure', () => {
    expect(ratios(figures(3, 40_000), [figures(12, 2_000), figures(6, 1_000)])).toEqual({
      'w1.p50Ms': 0.5,
      'w1.p99Ms': 0.5,
      'w2.stepsPerS': 20,
    });
  });

  it('leave out what nobody was measured in', () => {
    expect(ratios(figures(3, 40_000), [])).toEqual({});
    expect(ratios({ w3: { p50Ms: 1, p99Ms: 2 } }, [figures(12, 2_000)])).toEqual({});
  });
});

describe('npm run bench:peers', () => {
  it('refuses a peer it does not know, before it installs anything', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const args = ['--import', 'tsx', 'bench/peers.ts', '--only', 'restate,oracle'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('There is no peer "oracle"');
  });
});
