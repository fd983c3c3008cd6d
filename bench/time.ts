import { parseArgs } from 'node:util';
import { FULL, measureTime, TINY, type TimeReport } from './time/measure-time.ts';

/** How late sleeps end on the embedded engine here; none may end early. */
const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, tiny: { type: 'boolean', default: false } },
});

const timeTable = ({ machine, sleeps, idleProcess, together }: TimeReport): string =>
  [
    `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}`,
    `${sleeps.count} sleeps: ${sleeps.early} early, late by ${sleeps.p50Ms} ms (p50), ${sleeps.p99Ms} ms (p99)`,
    `timers of an idle process beside them: late by ${idleProcess.p50Ms} ms (p50), ${idleProcess.p99Ms} ms (p99)`,
    `${together.runs} runs that wake at once: ${together.early} early, all go on within ${together.allAfterMs} ms`,
  ].join('\n');

const report = await measureTime(values.tiny ? TINY : FULL);
process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : timeTable(report)}\n`);
if (report.sleeps.early + report.together.early > 0) process.exitCode = 1;
