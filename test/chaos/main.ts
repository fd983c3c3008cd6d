import { type ChaosResult, chaos } from './chaos.ts';
import { parseChaosCommand, UsageError } from './chaos-options.ts';

const SHOWN = 20;
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

function report({ problems: _toldApart, ...figures }: ChaosResult, json: boolean): string {
  if (json) return JSON.stringify(figures);
  return Object.entries(figures)
    .map(([name, figure]) => `${name.padEnd(12)} ${figure}`)
    .join('\n');
}

async function run(): Promise<number> {
  const { figures, json } = parseChaosCommand(process.argv.slice(2));
  const result = await chaos({ ...figures, say: tell });
  console.log(report(result, json));
  for (const problem of result.problems.slice(0, SHOWN)) tell(problem);
  if (result.problems.length > SHOWN) tell(`and ${result.problems.length - SHOWN} more`);
  return result.problems.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await run();
} catch (error) {
  tell((error as Error).message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
