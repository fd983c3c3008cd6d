import { parseArgs } from 'node:util';
import { checkModels } from './run-checks.ts';
import { whyNot } from './spin.ts';

const HELP = `npm run model-check -- [options]
  --deep    searches of minutes and gigabytes too
  --json    the report as one JSON object`;

const { values } = parseArgs({
  options: {
    deep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`${HELP}\n`);
} else {
  const missing = whyNot();
  if (missing !== null) {
    process.stderr.write(`THE MODELS CANNOT BE CHECKED: ${missing} (Debian: apt-get install spin gcc).\n`);
    process.exit(2);
  }
  const report = await checkModels({ deep: values.deep }, (line) => void process.stderr.write(`${line}\n`));
  const { checks, mutants, wrong, states, seconds } = report;
  const caught = mutants.filter(({ expected, caughtBy }) => expected === caughtBy).length;
  const summary = `${checks.length} checks, ${states} states, ${caught} of ${mutants.length} mutants caught, ${seconds} s`;
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : `${summary}\n`);
  for (const line of wrong) process.stderr.write(`${line}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}
