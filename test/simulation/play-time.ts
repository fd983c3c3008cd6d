import { parseArgs } from 'node:util';
import { playTime, type TimeReport } from './time/time-play.ts';
import { FAULT_KINDS } from './world/fault-plan.ts';

/** Schedules and sleeps over virtual years: seeds until there were enough fires and wakes. Prints a report as JSON. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    events: { type: 'string', default: '1000000' },
    fires: { type: 'string', default: '12000' },
    days: { type: 'string', default: '730' },
    seconds: { type: 'string', default: '3600' },
    json: { type: 'boolean' },
  },
});
Error.stackTraceLimit = 5;
const began = performance.now();
const all: TimeReport[] = [];
const sum = (of: (report: TimeReport) => number): number => all.reduce((total, report) => total + of(report), 0);
const events = (): number => sum(({ fires, wakes }) => fires + wakes);
for (let seed = Number(values.seed); events() < Number(values.events); seed += 1) {
  const report = await playTime(seed, Number(values.days) * 86_400_000, Number(values.fires));
  all.push(report);
  for (const { invariant, message } of report.violations)
    process.stderr.write(`${invariant} (seed ${seed}): ${message}\n`);
  if (!values.json) process.stderr.write(`${JSON.stringify({ ...report, violations: report.violations.length })}\n`);
  if (report.violations.length > 0 || (performance.now() - began) / 1000 > Number(values.seconds)) break;
}
process.stdout.write(
  `${JSON.stringify({
    seeds: all.length,
    fires: sum(({ fires }) => fires),
    wakes: sum(({ wakes }) => wakes),
    skips: sum(({ skips }) => skips),
    outages: sum(({ outages }) => outages),
    faults: Object.fromEntries(
      FAULT_KINDS.map((kind) => [kind, sum(({ faults }) => faults[kind] ?? 0)]).filter(([, count]) => count !== 0),
    ),
    virtualDays: sum(({ virtualDays }) => virtualDays),
    seconds: Math.round((performance.now() - began) / 1000),
    violations: all.flatMap(({ seed, violations }) => violations.map((one) => ({ seed, ...one }))),
  })}\n`,
);
process.exitCode = all.some(({ violations }) => violations.length > 0) ? 1 : 0;
