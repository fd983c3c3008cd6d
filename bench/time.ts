import { parseArgs } from 'node:util';
import { measureStackTime, STACK_FULL, STACK_TINY, type StackTimeReport } from './time/measure-stack.ts';
import { FULL, measureTime, TINY, type TimeReport } from './time/measure-time.ts';

/** How late sleeps end on the embedded engine here, or on the stack on its test bed; none may end early. */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    tiny: { type: 'boolean', default: false },
    stack: { type: 'boolean', default: false },
  },
});

const sleepLines = ({ machine, sleeps, idleProcess }: StackTimeReport | TimeReport): readonly string[] => [
  `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}`,
  `${sleeps.count} sleeps: ${sleeps.early} early, late by ${sleeps.p50Ms} ms (p50), ${sleeps.p99Ms} ms (p99)`,
  `timers of an idle process beside them: late by ${idleProcess.p50Ms} ms (p50), ${idleProcess.p99Ms} ms (p99)`,
];

const print = (report: StackTimeReport | TimeReport, lines: readonly string[]): void =>
  void process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : lines.join('\n')}\n`);

async function embedded(): Promise<number> {
  const report = await measureTime(values.tiny ? TINY : FULL);
  const { runs, early, allAfterMs } = report.together;
  const together = `${runs} runs that wake at once: ${early} early, all go on within ${allAfterMs} ms`;
  print(report, [...sleepLines(report), together]);
  return report.sleeps.early + early;
}

async function stack(): Promise<number> {
  const report = await measureStackTime(values.tiny ? STACK_TINY : STACK_FULL);
  print(report, sleepLines(report));
  return report.sleeps.early;
}

const early = await (values.stack ? stack() : embedded());
if (early > 0) process.exitCode = 1;
