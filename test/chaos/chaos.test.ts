import { expect, it } from 'vitest';
import { chaos } from './chaos.ts';
import { ciFigures } from './chaos-options.ts';

const figures = ciFigures();
const { kills, stores, stops, cuts, runs, deadlineMs } = figures;

it(`loses no run and repeats no recorded step over ${kills} kills of workers, ${stores} of the engine, ${stops} freezes and ${cuts} cuts`, {
  timeout: deadlineMs + 30_000,
}, async () => {
  const said: string[] = [];
  const result = await chaos({ ...figures, say: (line) => said.push(line) });
  console.log(JSON.stringify({ ...result, problems: result.problems.length }));
  expect(result.problems, said.join('\n')).toEqual([]);
  expect(result).toMatchObject({ lost: 0, doubled: 0, kills, stores, stops });
  expect(result.cuts).toBeGreaterThanOrEqual(cuts);
  expect(result.runs).toBeGreaterThanOrEqual(runs);
  // It hurt: what was under way was done again, and what was frozen had been given to others.
  expect(result.reexecuted).toBeGreaterThan(0);
  expect(result.overtaken).toBeGreaterThan(0);
});
