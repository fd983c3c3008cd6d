import type { PeersReport } from '../peers/measure-peers.ts';
import { peersTable } from '../peers/peers-table.ts';
import type { SpeedReport } from '../speed/measure-all.ts';
import { speedTable } from '../speed/speed-table.ts';
import { lineChart } from './line-chart.ts';

export interface PerformanceReport {
  readonly speed: SpeedReport;
  /** Not given where nobody else was measured. */
  readonly peers?: PeersReport;
}

/** The plots by their file names: throughput and latency against load and store size, peers beside us. */
export function performancePlots({ speed, peers }: PerformanceReport): Readonly<Record<string, string>> {
  const { w9 } = speed;
  const plots: Record<string, string> = {};
  if (w9 !== undefined) {
    const clients = (of: typeof w9.clients) => of.map(({ clients: x, stepsPerS: y }) => ({ x: String(x), y }));
    plots['clients.svg'] = lineChart('Throughput by concurrent clients', 'steps/s', [
      { name: 'in process', points: clients(w9.clients) },
      ...(speed.http?.w9 === undefined ? [] : [{ name: 'over HTTP', points: clients(speed.http.w9.clients) }]),
    ]);
  }
  if (w9?.finished !== undefined) {
    const { finished } = w9;
    const named = (count: number): string => count.toLocaleString('en-US');
    plots['store-size.svg'] = lineChart('Throughput by finished runs in the store, 8 clients', 'steps/s', [
      { name: 'in process', points: finished.map((at) => ({ x: named(at.finished), y: at.stepsPerS })) },
    ]);
    plots['store-size-latency.svg'] = lineChart('A run of ten steps by finished runs in the store', 'ms', [
      { name: 'p50', points: finished.map((at) => ({ x: named(at.finished), y: at.p50Ms })) },
      { name: 'p99', points: finished.map((at) => ({ x: named(at.finished), y: at.p99Ms })) },
    ]);
  }
  if (peers !== undefined) {
    const all = Object.entries({ kagzi: peers.ours, ...peers.peers });
    plots['peers-throughput.svg'] = lineChart('W2: 500 runs at once', 'steps/s', [
      { name: 'steps/s', points: all.map(([x, { w2 }]) => ({ x, y: w2?.stepsPerS ?? 0 })) },
    ]);
    plots['peers-latency.svg'] = lineChart(
      'One run at a time, p50',
      'ms',
      all.map(([name, { w1, w3, w4 }]) => ({
        name,
        points: [
          { x: 'W1', y: w1?.p50Ms ?? 0 },
          { x: 'W3', y: w3?.p50Ms ?? 0 },
          { x: 'W4', y: w4?.p50Ms ?? 0 },
        ],
      })),
    );
  }
  return plots;
}

/** The text of docs/performance.md. */
export function performanceDoc(report: PerformanceReport): string {
  const { speed, peers } = report;
  const block = (table: string): string[] => ['```', table, '```'];
  return [
    '# Performance',
    '',
    '<!-- Written by `npm run bench:report`. -->',
    '',
    'The embedded engine as it ships: every answer comes after its fsync. W1 to W9 are explained in `bench/speed/workloads.ts`;',
    'the bare loop does the same conditional writes on SQLite and nothing else.',
    '',
    '## On this machine',
    '',
    ...block(speedTable(speed)),
    '',
    ...(peers === undefined
      ? ['No other engine was measured beside it.', '']
      : [
          '## Beside other durable engines',
          '',
          'One run, turn by turn, on one Node:',
          '',
          ...block(peersTable(peers)),
          '',
        ]),
    ...Object.keys(performancePlots(report)).map((file) => `![${file.replace('.svg', '')}](performance/${file})`),
    '',
    '## To repeat it',
    '',
    'On a machine that does nothing else; the full sizes take about half an hour, most of it filling the store:',
    '',
    '```',
    'npm run -s bench -- --json > speed.json',
    'npm run -s bench:peers -- --json > peers.json',
    'npm run -s bench:report -- speed.json peers.json',
    '```',
    '',
    '`--quick` measures less of everything, `--only w1,w2` some of it. DBOS is measured where PostgreSQL is installed.',
    '',
  ].join('\n');
}
