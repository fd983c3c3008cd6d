import { parseArgs } from 'node:util';
import { runSeeds } from './run-seeds.ts';

/** One process's share of the seeds; prints its report as JSON. `cli.ts` and the mutants run a bundle of this. */
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    'stop-at-first': { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    json: { type: 'boolean' },
  },
});
const [from, seeds] = [Number(values.from), Number(values.seeds)];
const say = (text: string): void => void (values.quiet || process.stderr.write(`${text}\n`));

// Thousands of injected errors: nobody reads where they come from.
Error.stackTraceLimit = 0;
let saidAt = performance.now();
const report = await runSeeds({
  from,
  seeds,
  stopAtFirst: values['stop-at-first'],
  onViolation: (seed, { invariant, message }) => say(`${invariant} (npm run sim -- --seed ${seed}): ${message}`),
  onProgress: (done, violations) => {
    if (performance.now() - saidAt < 30_000) return;
    saidAt = performance.now();
    say(`seeds ${from} to ${from + seeds - 1}: ${done} done, ${violations} violations`);
  },
});
process.stdout.write(`${JSON.stringify(report)}\n`);
