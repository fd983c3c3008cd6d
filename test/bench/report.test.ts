import { describe, expect, it } from 'vitest';
import { type PerformanceReport, performanceDoc, performancePlots } from '../../bench/report/performance-doc.ts';

const machine = { node: 'v24', system: 'linux', cpu: 'cpu', cores: 2, memoryGb: 8, fsyncMs: 0.2 };
const speed: PerformanceReport['speed'] = {
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
const peers = { machine, ours, peers: { restate: theirs }, skipped: {}, ratios: { 'w1.p50Ms': 0.333 } };

describe('the report of performance', () => {
  it('draws throughput and latency against load and store size, and the peers beside us', () => {
    const plots = performancePlots({ speed, peers });
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
    const whole = performanceDoc({ speed, peers });
    for (const file of Object.keys(performancePlots({ speed, peers }))) expect(whole).toContain(`performance/${file}`);
    expect(whole).toContain('w1.p50Ms');
    expect(performanceDoc({ speed })).toContain('No other engine was measured');
  });
});
