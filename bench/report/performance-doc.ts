import { peersTable } from '../peers/peers-table.ts';
import { speedTable } from '../speed/speed-table.ts';
import { barChart } from './bar-chart.ts';
import { lineChart } from './line-chart.ts';
import type { PerformanceReport } from './performance-report.ts';
import { type Target, targets } from './targets.ts';

const WORKLOADS: readonly (readonly [string, string])[] = [
  ['W1', 'a run of ten steps, one after the other, 100 bytes each: from the start call to the result in hand'],
  ['W2', '500 such runs started at once'],
  ['W3', 'from the start call until the first body begins'],
  ['W4', 'ten steps side by side'],
  ['W5', '`kill -9` in the sixth step: until its body begins again, the start of the new process included'],
  ['W6', 'how late the code after a sleep of 2 s goes on'],
  ['W7', 'one run of 10,000 steps: its first hundred and its last'],
  [
    'W8',
    'memory after 10,000 runs: of the process with engine, worker and client; over HTTP, of the server and its worker',
  ],
  [
    'W9',
    'runs by concurrent clients; with finished runs of ten steps in the store, and with runs that sleep for years',
  ],
];

/** The plots by their file names: throughput and latency against load and store size, peers beside us. */
export function performancePlots({ speed, peers }: PerformanceReport): Readonly<Record<string, string>> {
  const { w9, limit } = speed;
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
      { name: 'bare loop, p50', points: finished.map((at) => ({ x: named(at.finished), y: limit.msPerRun })) },
    ]);
  }
  if (peers !== undefined) {
    const all = Object.entries({ kagzi: peers.ours, ...peers.peers });
    const steps = all.map(([name, { w2 }]) => ({ name, points: [{ x: 'W2', y: w2?.stepsPerS ?? 0 }] }));
    const bare = { name: 'bare loop', points: [{ x: 'W2', y: limit.stepsPerS }] };
    plots['peers-throughput.svg'] = barChart('500 runs at once', 'steps/s', [...steps, bare], 'linear');
    plots['peers-latency.svg'] = barChart(
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
      'log',
    );
  }
  return plots;
}

const targetRow = ({ what, measured, unit, bound, limit, hope, holds }: Target): string => {
  const far = bound === 'at most' ? measured / limit : limit / measured;
  const verdict = holds ? 'holds' : `**falls short**, by a factor of ${far.toFixed(2)}`;
  const better = hope === undefined ? '' : `, hoped for ${hope}${unit}`;
  return `| ${what} | ${measured}${unit} | ${bound} ${limit}${unit}${better} | ${verdict} |`;
};

/** The text of docs/performance.md. */
export function performanceDoc(report: PerformanceReport): string {
  const { notes, speed, peers } = report;
  const block = (table: string): string[] => ['```', table, '```'];
  const skipped = Object.entries(peers?.skipped ?? {});
  return [
    '# Performance',
    '',
    '<!-- Written by `npm run bench:report` from bench/recorded/performance.json. -->',
    '',
    'The embedded engine as it ships, in one process with its worker: every answer comes after its fsync. The bare loop does',
    'the same conditional writes on SQLite and nothing else: it is the limit that no engine on this store can exceed.',
    '',
    ...WORKLOADS.map(([name, what]) => `- **${name}**: ${what}.`),
    '',
    ...notes.flatMap((note) => [note, '']),
    '## What was aimed at, and what was measured',
    '',
    '| what | measured | aim | |',
    '| --- | ---: | ---: | --- |',
    ...targets(report).map(targetRow),
    '',
    '## Alone',
    '',
    ...block(speedTable(speed)),
    '',
    ...(peers === undefined
      ? ['No other engine was measured beside it.', '']
      : [
          '## Beside other durable engines',
          '',
          `One run, turn by turn, on one Node: ${Object.values(peers.peers)
            .map(({ version }) => version)
            .join(', ')}. Each with the settings it comes with.`,
          ...skipped.map(([name, why]) => `Not measured: ${name}, because ${why}.`),
          '',
          ...block(peersTable(peers)),
          '',
        ]),
    ...Object.keys(performancePlots(report)).flatMap((file) => [
      `![${file.replace('.svg', '').replaceAll('-', ' ')}](performance/${file})`,
      '',
    ]),
    '## To repeat it',
    '',
    'On a machine that does nothing else; the full sizes take about half an hour, most of it filling the store:',
    '',
    '```sh',
    'npm run -s bench -- --json > speed.json',
    'npm run -s bench:peers -- --json > peers.json',
    'npm run -s bench:report -- speed.json peers.json --note "What is to be known of the machine."',
    '```',
    '',
    '`--quick` measures less of everything, `--only w1,w2` some of it; `--stores FOLDER` keeps the filled stores of W9. DBOS is',
    'measured where PostgreSQL is installed; who is left out is named.',
    '',
  ].join('\n');
}
