import { parseArgs } from 'node:util';
import { runScript } from './run-script.ts';
import { merged, play, type SeedsReport } from './run-seeds.ts';
import { asOptions, shrink } from './shrink.ts';
import { type SeedReport, simulate } from './simulate.ts';
import { FAULT_KINDS, type FaultKind } from './world/fault-plan.ts';

const HELP = `npm run sim -- [options]
  --seeds N            how many seeds to play (200)
  --from S             the first of them (1)
  --jobs J             processes at a time (2)
  --json               the report as one JSON object
  --seed S             one seed, with a readable trace
  --shrink             with --seed: looks for fewer runs and faults that break the same invariant
  --keep A,B           with --seed: only the runs with these numbers
  --only K,L           with --seed: only faults of these kinds
  --max-faults N       with --seed: no more faults than this`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    seed: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    keep: { type: 'string' },
    only: { type: 'string' },
    'max-faults': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const whole = (name: string, text: string): number => {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  say(`--${name} is ${text}: give a whole number.\n${HELP}`);
  process.exit(2);
};

if (values.help) {
  process.stdout.write(`${HELP}\n`);
} else if (values.seed !== undefined) await one(whole('seed', values.seed));
else await many();

/** One seed in words. */
async function one(seed: number): Promise<void> {
  const report = await playLimited(seed);
  for (const line of report.trace) process.stdout.write(`${line}\n`);
  const [violation] = report.violations;
  say(`seed ${seed}: ${report.faultCount} faults, ${report.runs} runs, trace ${report.hash}`);
  if (violation === undefined) return say('no violation');
  say(`${violation.invariant}: ${violation.message}`);
  process.exitCode = 1;
  if (!values.shrink) return;
  const { keep, only, max, plays } = await shrink(seed, violation.invariant);
  say(
    `after ${plays} plays: npm run sim -- --seed ${seed} --keep ${keep.join(',')} --only ${only.join(',') || 'none'} --max-faults ${max}`,
  );
}

function playLimited(seed: number): Promise<SeedReport> {
  const { keep, only, 'max-faults': max } = values;
  if (keep === undefined && only === undefined && max === undefined) return play(seed, true);
  const kinds = only?.split(',').filter((kind): kind is FaultKind => (FAULT_KINDS as readonly string[]).includes(kind));
  const limited = asOptions(seed, {
    keep: keep?.split(',').map((text) => whole('keep', text)) ?? [0, 1, 2, 3, 4, 5],
    only: kinds ?? FAULT_KINDS,
    max: max === undefined ? Number.POSITIVE_INFINITY : whole('max-faults', max),
  });
  return simulate({ ...limited, print: true });
}

/** In several processes, each with its share. */
async function many(): Promise<void> {
  const [from, seeds, jobs] = [whole('from', values.from), whole('seeds', values.seeds), whole('jobs', values.jobs)];
  const startedAt = performance.now();
  const share = Math.ceil(seeds / Math.max(1, jobs));
  const shares = Array.from({ length: jobs }, (_, job) => {
    const start = from + job * share;
    return { start, count: Math.min(share, from + seeds - start) };
  }).filter(({ count }) => count > 0);
  const reports = await Promise.all(
    shares.map(({ start, count }) =>
      runScript<SeedsReport>('play-seeds.ts', ['--from', `${start}`, '--seeds', `${count}`]),
    ),
  );
  const total = merged(reports, Math.round((performance.now() - startedAt) / 100) / 10);
  if (values.json) process.stdout.write(`${JSON.stringify(total)}\n`);
  else print(total);
  if (total.violations.length > 0) process.exitCode = 1;
}

function print(report: SeedsReport): void {
  const bound = (3 / report.seeds).toExponential(1);
  say(
    `${report.seeds} seeds from ${report.from}: ${report.runs} runs, ${report.steps} steps, ${report.virtualHours} virtual hours in ${report.seconds} s`,
  );
  say(
    `faults: ${JSON.stringify(report.faults)}, per seed at least ${report.faultsPerSeed.least}, ${report.faultsPerSeed.mean} on average`,
  );
  say(`rescues: ${JSON.stringify(report.rescues)}`);
  if (report.violations.length === 0) say(`no violation: a failure in at most ${bound} of the seeds, at 95 %`);
}
