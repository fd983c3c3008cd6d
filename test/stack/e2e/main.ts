import { parseArgs } from 'node:util';
import { runCommand, showFigures, tell } from '../../helpers/run-command.ts';
import { e2e } from './e2e.ts';

await runCommand(async () => {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } });
  const { problems, ...figures } = await e2e({ only: values.only, say: tell });
  console.log(showFigures(figures, values.json === true));
  for (const problem of problems) tell(problem);
  return problems.length === 0 ? 0 : 1;
});
