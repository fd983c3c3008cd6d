import type { CheckedLimit } from './cost-limits.ts';
import { type CostReport, SCENARIO_NAMES, type ScenarioName } from './figures.ts';
import { PEER_BILLS } from './peer-bills.ts';
import { ASSUMED, dollarsPerMillion, dollarsPerMillionRuns, MILLION_API_CALLS } from './prices.ts';

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const money = (dollars: number): string => `$${dollars.toFixed(2)}`;

/** Start, poll, two for each step, and the end. */
const POLL_CALLS = 1 + 1 + 2 * 10 + 1;

const SCENARIOS: readonly (readonly [ScenarioName, string])[] = [
  ['fresh-run-10', 'the run of the table above'],
  [
    'fresh-run-10-poll',
    `the same by a worker over HTTP; its ${POLL_CALLS} calls of the API come to ${money((POLL_CALLS * MILLION_API_CALLS) / 1e6)} for a million runs besides`,
  ],
  ['resumed-run-10', 'the same, put down once in the middle and gone on with elsewhere'],
  ['sleep', 'what one sleep of an hour adds, the wake-up included'],
  ['retried-step', 'what a failed attempt adds'],
  ['heartbeat-100', 'one heartbeat of a poll worker that holds 100 runs'],
  ['unserved-hour', 'a run that waits for an hour because nobody serves it'],
  ['schedule-fire', 'what a schedule adds to each run that it starts'],
  ['idle-tick', 'a look of the watchdog when nothing is due'],
  ['step-10-of-10000', 'the tenth step of a long run'],
  ['step-10000-of-10000', 'its last'],
];

/** The text of docs/cost.md. */
export function costDoc({ engine, scenarios }: CostReport, limits: readonly CheckedLimit[]): string {
  const { parts, total } = dollarsPerMillionRuns(scenarios['fresh-run-10']);
  return [
    '# What a run costs',
    '',
    '<!-- Written by `npm run bench:cost -- --write`. -->',
    '',
    `Counted on ${engine} with \`ReturnConsumedCapacity\`; the embedded table must count the same. us-east-1 list`,
    'prices, on demand. Nothing here was billed by AWS.',
    '',
    '## A million runs of ten steps',
    '',
    'Payloads of 100 bytes, started over HTTP, served by a Lambda worker, kept for 30 days. Assumed, because nothing here can',
    `measure them: ${1e3 * ASSUMED.apiSeconds} ms of the API function, ${1e3 * ASSUMED.workerSeconds} ms of the worker at ${1024 * ASSUMED.functionGb} MB (your own code not counted) and ${ASSUMED.logBytes} bytes of logs.`,
    'What a stack costs with no run at all is in [deploying](deploying.md).',
    '',
    row('part', 'dollars'),
    row('---', '---:'),
    ...Object.entries(parts).map(([part, dollars]) => row(part, money(dollars))),
    row('**in all**', `**${money(total)}**`),
    '',
    'The same workflow elsewhere, from list prices of 2026; where a service bills by volume or by plan, the row says what was',
    'counted. The time of what executes the steps is counted for Kagzi, above, and for Step Functions; of the others it would come',
    'on top.',
    '',
    row('service', 'dollars', 'from'),
    row('---', '---:', '---'),
    ...PEER_BILLS.map(({ service, dollars, from }) => row(service, money(dollars), from)),
    '',
    '## Units',
    '',
    'What each scenario asks of DynamoDB, the queue and timers, and what that costs; functions, API calls, logs and storage come',
    'on top, as above.',
    '',
    ...SCENARIOS.map(([name, what]) => `- \`${name}\`: ${what}.`),
    '',
    row(
      'scenario',
      'write units',
      'read units',
      'transactions',
      'queue calls',
      'timer calls',
      '$ per million of these',
    ),
    row('---', '---:', '---:', '---:', '---:', '---:', '---:'),
    ...SCENARIO_NAMES.map((name) => {
      const figures = scenarios[name];
      const { writeUnits, readUnits, transactions, queueCalls, timerCalls = 0 } = figures;
      return row(
        name,
        writeUnits,
        readUnits,
        transactions,
        queueCalls,
        timerCalls,
        dollarsPerMillion(figures).toFixed(2),
      );
    }),
    '',
    '## Limits',
    '',
    row('what', 'measured', 'at most'),
    row('---', '---:', '---:'),
    ...limits.map(({ what, measured, max }) => row(what, Number(measured.toFixed(2)), max)),
    '',
  ].join('\n');
}
