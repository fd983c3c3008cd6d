import type { CheckedLimit } from './cost-limits.ts';
import { type CostReport, type Figures, SCENARIO_NAMES } from './figures.ts';
import { dollarsPerMillion, dollarsPerMillionRuns } from './prices.ts';

const HEADINGS = ['scenario', 'write', 'read', 'transact', 'queue', 'timers', 'trips', '$ per million'];

const columns = (rows: readonly (readonly string[])[]): string[] => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
};

const money = (dollars: number): string => dollars.toFixed(2);

const scenarioRow = (name: string, figures: Figures): string[] => [
  name,
  ...[figures.writeUnits, figures.readUnits, figures.transactions, figures.queueCalls].map(String),
  String(figures.timerCalls ?? 0),
  String(figures.roundTrips.total),
  money(dollarsPerMillion(figures)),
];

/** For people: the figures, the limits beside them, whether the engines agree, and what a run costs in all. */
export function costTable(
  { engine, scenarios }: CostReport,
  limits: readonly CheckedLimit[],
  unequal: readonly string[],
): string {
  const agreement =
    engine === 'embedded'
      ? 'Not compared with a DynamoDB engine.'
      : unequal.length === 0
        ? `The embedded table counts the same as ${engine} in every figure.`
        : `The embedded table and ${engine} differ in ${unequal.length} figures.`;
  const { parts, total } = dollarsPerMillionRuns(scenarios['fresh-run-10']);
  return [
    `Measured on ${engine}. ${agreement}`,
    '',
    ...columns([HEADINGS, ...SCENARIO_NAMES.map((name) => scenarioRow(name, scenarios[name]))]),
    '',
    ...columns([
      ['limit', 'measured', 'at most', ''],
      ...limits.map(({ what, measured, max, kept }) => [
        what,
        String(Number(measured.toFixed(2))),
        String(max),
        kept ? 'ok' : 'EXCEEDED',
      ]),
    ]),
    '',
    'A million runs of 10 steps, us-east-1 list prices; time and logs are assumed:',
    ...columns([...Object.entries(parts), ['in all', total] as const].map(([part, dollars]) => [part, money(dollars)])),
  ].join('\n');
}
