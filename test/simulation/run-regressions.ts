import { playRegression, REGRESSIONS } from './regressions.ts';

/** Prints, as JSON, what became of every play; words on the command line choose among them. */
const words = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const chosen = REGRESSIONS.filter(({ name }) => words.every((word) => name.includes(word)));
const plays = [];
for (const regression of chosen) {
  const { faultCount, struck, violations } = await playRegression(regression);
  plays.push({ name: regression.name, faults: faultCount, struck, violations });
}
process.stdout.write(`${JSON.stringify(plays)}\n`);
if (plays.some(({ violations }) => violations.length > 0)) process.exitCode = 1;
