import { runCommand } from './plain-error.ts';
import { compile } from './speed/compile.ts';
import { measureAll } from './speed/measure-all.ts';
import { readSpeedOptions } from './speed/speed-options.ts';
import { speedTable } from './speed/speed-table.ts';

/** How fast the embedded engine is here, as it ships, with the limit beside it. */
await runCommand(async () => {
  const options = readSpeedOptions(process.argv.slice(2));
  compile();
  const report = await measureAll(options);
  process.stdout.write(`${options.json ? JSON.stringify(report, null, 2) : speedTable(report)}\n`);
});
