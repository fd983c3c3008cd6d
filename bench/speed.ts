import { compile } from './speed/compile.ts';
import { measureAll } from './speed/measure-all.ts';
import { readSpeedOptions, SpeedOptionError } from './speed/speed-options.ts';
import { speedTable } from './speed/speed-table.ts';

/** How fast the embedded engine is here, as it ships, with the limit beside it. */
try {
  const options = readSpeedOptions(process.argv.slice(2));
  compile();
  const report = await measureAll(options);
  process.stdout.write(`${options.json ? JSON.stringify(report, null, 2) : speedTable(report)}\n`);
} catch (error) {
  if (!(error instanceof SpeedOptionError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
