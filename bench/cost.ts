import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { costDoc } from './cost-doc.ts';
import { chooseEngine, ENGINE_NAMES, measureDynamo, measureEmbedded } from './cost-engines.ts';
import { checkLimits, growingCosts } from './cost-limits.ts';
import { FULL_SIZES, type Sizes } from './cost-scenarios.ts';
import { costTable } from './cost-table.ts';
import { type CostReport, differences } from './figures.ts';
import { PlainError, runCommand } from './plain-error.ts';
import { dollarsPerMillionRuns } from './prices.ts';

function readSizes(asleep: string): Sizes {
  const count = Number(asleep);
  if (!Number.isSafeInteger(count) || count < 1) throw new PlainError(`"${asleep}" is no number of runs asleep.`);
  return { ...FULL_SIZES, asleep: count };
}

/** On a DynamoDB engine unless told otherwise: then on the embedded one too, and both must count the same. */
async function measure(
  engine: string | undefined,
  sizes: Sizes,
): Promise<{ readonly report: CostReport; readonly unequal: readonly string[] }> {
  if (engine === 'embedded') return { report: await measureEmbedded(sizes), unequal: [] };
  if (engine !== undefined && !ENGINE_NAMES.includes(engine)) {
    throw new PlainError(`There is no engine "${engine}": choose one of "${ENGINE_NAMES.join('", "')}".`);
  }
  const kind = chooseEngine(engine);
  if ('unavailable' in kind) {
    throw new PlainError(
      [
        'NO DYNAMODB ENGINE IS AVAILABLE: nothing was measured.',
        ...kind.unavailable,
        'With --engine embedded the embedded table alone is measured.',
      ].join('\n'),
    );
  }
  const report = await measureDynamo(kind, sizes);
  const embedded = await measureEmbedded(sizes);
  return { report, unequal: differences(report.scenarios, embedded.scenarios, [report.engine, embedded.engine]) };
}

/** What the engine costs in units and dollars; fails if a limit is exceeded, or if the engines do not agree. */
await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      engine: { type: 'string' },
      /** Runs beside an idle tick. */
      asleep: { type: 'string', default: String(FULL_SIZES.asleep) },
      /** Writes docs/cost.md. */
      write: { type: 'boolean', default: false },
    },
  });
  const { report, unequal } = await measure(values.engine, readSizes(values.asleep));
  const limits = checkLimits(report.scenarios);
  console.log(
    values.json
      ? JSON.stringify({ ...report, limits, dollars: dollarsPerMillionRuns(report.scenarios['fresh-run-10']) }, null, 2)
      : costTable(report, limits, unequal),
  );
  if (values.write) writeFileSync(new URL('../docs/cost.md', import.meta.url), costDoc(report, limits));
  const wrong = [
    ...unequal.map((line) => `The engines differ: ${line}.`),
    ...growingCosts(report.scenarios).map((line) => `The cost grows: ${line}.`),
    ...limits
      .filter(({ kept }) => !kept)
      .map(({ what, measured, max }) => `Over the limit: ${what} is ${measured}, at most ${max} are allowed.`),
  ];
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
});
