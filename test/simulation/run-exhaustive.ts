import { parseArgs } from 'node:util';
import { type ExhaustiveReport, exhaust, together } from './exhaustive.ts';
import { runScript } from './run-script.ts';

/** `--play "…"` plays one of them again, as a report names it; `--share K --shares N` every N-th call only. */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    share: { type: 'string' },
    shares: { type: 'string', default: '1' },
    play: { type: 'string' },
  },
});

const startedAt = performance.now();
const [jobs, shares] = [Number(values.jobs), Number(values.shares)];
const report =
  values.share !== undefined || values.play !== undefined
    ? await exhaust(Number(values.share ?? 0), shares, values.play)
    : {
        ...together(
          await Promise.all(
            Array.from({ length: jobs }, (_, job) =>
              runScript<ExhaustiveReport>('run-exhaustive.ts', ['--share', `${job}`, '--shares', `${jobs}`]),
            ),
          ),
        ),
        seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      };
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else
  process.stderr.write(
    `${report.workflows} workflows, ${report.plays} plays, ${report.violations.length} violations\n`,
  );
for (const { play, invariant, message } of report.violations)
  process.stderr.write(`${invariant} ${play}: ${message}\n`);
if (report.violations.length > 0) process.exitCode = 1;
