import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { costDoc } from './cost-doc.ts';
import { chooseEngine, ENGINE_NAMES, measureDynamo, measureEmbedded } from './cost-engines.ts';
import { checkLimits, growingCosts } from './cost-limits.ts';
import { FULL_SIZES } from './cost-scenarios.ts';
import { costTable } from './cost-table.ts';
import { type CostReport, differences } from './figures.ts';

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

const sizes = { ...FULL_SIZES, asleep: Number(values.asleep) };

function fail(...lines: readonly string[]): never {
  for (const line of lines) console.error(line);
  process.exit(1);
}

/** On a DynamoDB engine unless told otherwise: then on the embedded one too, and both must count the same. */
async function measure(): Promise<{ readonly report: CostReport; readonly unequal: readonly string[] }> {
  const { engine } = values;
  if (engine === 'embedded') return { report: await measureEmbedded(sizes), unequal: [] };
  if (engine !== undefined && !ENGINE_NAMES.includes(engine))
    fail(`There is no engine "${engine}": choose one of "${ENGINE_NAMES.join('", "')}".`);
  const kind = chooseEngine(engine);
  if ('unavailable' in kind) {
    fail(
      'NO DYNAMODB ENGINE IS AVAILABLE: nothing was measured.',
      ...kind.unavailable,
      'With --engine embedded the embedded table alone is measured.',
    );
  }
  const report = await measureDynamo(kind, sizes);
  const embedded = await measureEmbedded(sizes);
  return { report, unequal: differences(report.scenarios, embedded.scenarios, [report.engine, embedded.engine]) };
}

const { report, unequal } = await measure();
const limits = checkLimits(report.scenarios);
console.log(values.json ? JSON.stringify(report, null, 2) : costTable(report, limits, unequal));
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
