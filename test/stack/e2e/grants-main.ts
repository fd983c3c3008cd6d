import { parseArgs } from 'node:util';
import { runCommand, tell } from '../../helpers/run-command.ts';
import { withholdGrants } from './grants.ts';

await runCommand(async () => {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, only: { type: 'string' }, scenarios: { type: 'string' } },
  });
  const { withheld, problems, seconds } = await withholdGrants({
    only: values.only,
    scenarios: values.scenarios,
    say: tell,
  });
  const needed = withheld.filter(({ failing }) => failing !== null).length;
  const explained = withheld.filter(({ failing, because }) => failing === null && because !== null).length;
  const figures = { grants: withheld.length, needed, explained, unproven: problems.length, seconds };
  console.log(
    values.json === true
      ? JSON.stringify({ ...figures, withheld })
      : `${withheld.length} grants: ${needed} needed by a scenario, ${explained} explained, ${problems.length} neither; ${seconds} s`,
  );
  for (const problem of problems) tell(problem);
  return problems.length === 0 ? 0 : 1;
});
