import type { CheckedLimit } from './cost-limits.ts';
import { type CostReport, SCENARIO_NAMES } from './figures.ts';
import { PEER_BILLS } from './peer-bills.ts';
import { dollarsPerMillion, dollarsPerMillionRuns } from './prices.ts';

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const money = (dollars: number): string => `$${dollars.toFixed(2)}`;

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
    'Payloads of 100 bytes, started over HTTP, served by a Lambda worker, kept for 30 days. Time and logs are assumed.',
    '',
    row('part', 'dollars'),
    row('---', '---:'),
    ...Object.entries(parts).map(([part, dollars]) => row(part, money(dollars))),
    row('**in all**', `**${money(total)}**`),
    '',
    'The same workflow elsewhere, from list prices of 2026; where a service bills by volume or by plan, the row says what was',
    'counted. What runs the steps is in the row of Step Functions alone.',
    '',
    row('service', 'dollars', 'from'),
    row('---', '---:', '---'),
    ...PEER_BILLS.map(({ service, dollars, from }) => row(service, money(dollars), from)),
    '',
    '## Units',
    '',
    row('scenario', 'write units', 'read units', 'transactions', 'queue calls', 'timer calls', '$ per million'),
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
