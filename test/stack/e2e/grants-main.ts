import { parseArgs } from 'node:util';
import { runCommand, tell } from '../../helpers/run-command.ts';
import { withholdGrants } from './grants.ts';

await runCommand(async () => {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } });
  const { withheld, seconds } = await withholdGrants({ only: values.only, say: tell });
  const idle = withheld.filter(({ failing }) => failing === null);
  console.log(
    values.json === true
      ? JSON.stringify({ grants: withheld.length, needed: withheld.length - idle.length, seconds, withheld })
      : `${withheld.length} grants, ${withheld.length - idle.length} of them needed by a scenario, ${seconds} s`,
  );
  return 0;
});
