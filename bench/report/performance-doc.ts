import type { PeersReport } from '../peers/measure-peers.ts';
import { peersTable } from '../peers/peers-table.ts';
import type { SpeedReport } from '../speed/measure-all.ts';
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
  [
    'W5',
    '`kill -9` of the process in the sixth step: until its body begins again, the start of the new process included. Of Kagzi that is the engine with its store, of peers with a server or a database only the worker',
  ],
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
    const bare = { name: `bare loop, Node ${speed.machine.node}`, points: [{ x: 'W2', y: limit.stepsPerS }] };
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

/** Who runs where: a call between two processes costs more than one within. */
const TOPOLOGIES: readonly string[] = [
  'They are not of one shape. Kagzi embedded has client, engine, worker and store in one process, and the ratios above are of',
  'that; as a server, with its clients elsewhere, it has the column "over HTTP". Restate is a server that calls its worker over',
  'HTTP, and is called by its clients over HTTP. DBOS is a library in the process of its client, on PostgreSQL over TCP.',
  'OpenWorkflow is a library on SQLite; its clients ask for results once a second and its workers poll, which is what its',
  'latencies show.',
];

const measuredBy = ({ measured, machine }: SpeedReport | PeersReport): string =>
  `Measured on ${measured.at.slice(0, 10)} with Node ${machine.node}, in ${measured.sizes} size.`;

const share = ({ w1, w2, limit }: SpeedReport): string =>
  [
    ...(w2 === undefined ? [] : [`W2 does ${Math.round((100 * w2.stepsPerS) / limit.stepsPerS)} % of its steps/s`]),
    ...(w1 === undefined ? [] : [`W1 takes ${(w1.p50Ms / limit.msPerRun).toFixed(1)} times as long`]),
  ].join(', ');

const targetRow = ({ what, measured, unit, bound, limit, hope, holds }: Target): string => {
  const far = bound === 'at least' ? limit / measured : measured / limit;
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
    measuredBy(speed),
    `Of the bare loop in the same run: ${share(speed)}.`,
    '',
    ...block(speedTable(speed)),
    '',
    ...(peers === undefined
      ? ['No other engine was measured beside it.', '']
      : [
          '## Beside other durable engines',
          '',
          `All on one Node, and each workload of one after that of the other: ${Object.values(peers.peers)
            .map(({ version }) => version)
            .join(', ')}. Each with the settings it comes with, but that a worker may hold all 500 runs of W2.`,
          '',
          ...TOPOLOGIES,
          '',
          measuredBy(peers),
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
    'On a machine that does nothing else. The full sizes take three quarters of an hour, most of it filling stores, 7 GB in the',
    'temporary folder, and 430 MB in node_modules/.cache for the peers and a Node of their own, from the npm registry:',
    '',
    '```sh',
    'npm run -s bench -- --json > speed.json',
    'npm run -s bench:peers -- --json > peers.json',
    'npm run -s bench:report -- speed.json peers.json --note "What is to be known of the machine."',
    '```',
    '',
    '`--quick` measures less of everything. `bench` takes `--only w1,w2`, `--skip-http`, `--finished 0,10000` for other stores in',
    'W9 and `--stores FOLDER` to keep them; `bench:peers` takes `--only restate,dbos`. DBOS is measured where PostgreSQL is',
    'installed; who is left out is named. Only full measurements are recorded.',
    '',
    'The JSON of `bench`: `{ measured, machine, limit, w1: { p50Ms, p99Ms }, w2: { runsPerS, stepsPerS }, w3, w4, w5: { resumedMs,',
    'reExecuted }, w6: { p50LateMs, maxLateMs }, w7: { firstMs, lastMs, lastOverFirst }, w8: { rssMb }, w9: { clients, finished,',
    'waiting, fullOverEmpty }, http: { … } }`. Of `bench:peers`: `{ measured, machine, ours, oursOverHttp, peers: { name: { version,',
    'w1, … } }, skipped, ratios: { "w2.stepsPerS": ours over the best peer, … } }`.',
    '',
  ].join('\n');
}
