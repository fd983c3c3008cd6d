import { runCommand, showFigures, tell } from '../helpers/run-command.ts';
import { stackChaos } from '../stack/chaos/stack-chaos.ts';
import { chaos } from './chaos.ts';
import { parseChaosCommand } from './chaos-options.ts';

const SHOWN = 20;

await runCommand(async () => {
  const { target, figures, json } = parseChaosCommand(process.argv.slice(2));
  const { problems, ...result } = await (target === 'stack'
    ? stackChaos({ ...figures, say: tell })
    : chaos({ ...figures, say: tell }));
  console.log(showFigures(result, json));
  for (const problem of problems.slice(0, SHOWN)) tell(problem);
  if (problems.length > SHOWN) tell(`and ${problems.length - SHOWN} more`);
  return problems.length === 0 ? 0 : 1;
});
