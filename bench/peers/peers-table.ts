import type { SpeedFigures } from '../speed/measure-speed.ts';
import type { PeersReport } from './measure-peers.ts';

const ROWS: readonly (readonly [string, (figures: SpeedFigures) => number | undefined])[] = [
  ['W1 ten steps, one run at a time, p50 ms', ({ w1 }) => w1?.p50Ms],
  ['W1 p99 ms', ({ w1 }) => w1?.p99Ms],
  ['W2 500 runs at once, steps/s', ({ w2 }) => w2?.stepsPerS],
  ['W3 start to first body, p50 ms', ({ w3 }) => w3?.p50Ms],
  ['W4 ten steps side by side, p50 ms', ({ w4 }) => w4?.p50Ms],
  ['W5 resumed after kill -9, ms', ({ w5 }) => w5?.resumedMs],
  ['W5 completed steps executed again', ({ w5 }) => w5?.reExecuted],
  ['W6 a sleep of 2 s, p50 ms late', ({ w6 }) => w6?.p50LateMs],
];

export function peersTable({ machine, ours, oursOverHttp, peers, ratios }: PeersReport): string {
  const columns: readonly (readonly [string, SpeedFigures])[] = [
    ['kagzi', ours],
    ['over HTTP', oursOverHttp],
    ...Object.entries(peers),
  ];
  const row = (title: string, cells: readonly string[]): string =>
    title.padEnd(42) + cells.map((cell) => cell.padStart(14)).join('');
  return [
    `Node ${machine.node}, ${machine.system}, ${machine.cores} × ${machine.cpu}, fsync ${machine.fsyncMs} ms`,
    '',
    row(
      '',
      columns.map(([name]) => name),
    ),
    ...ROWS.map(([title, of]) =>
      row(
        title,
        columns.map(([, figures]) => String(of(figures) ?? '')),
      ),
    ),
    '',
    'Ours, in process, over the best peer:',
    ...Object.entries(ratios).map(([figure, ratio]) => `${figure.padEnd(16)} ${ratio}`),
  ].join('\n');
}
