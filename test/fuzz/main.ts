import { parseFigures } from '../helpers/parse-figures.ts';
import { runCommand, showFigures, tell } from '../helpers/run-command.ts';
import { CI_FUZZ } from './ci-fuzz.ts';
import { fuzzReport } from './fuzz-report.ts';

await runCommand(async () => {
  const { figures, json } = parseFigures('fuzz', process.argv.slice(2), CI_FUZZ);
  const { result, findings } = await fuzzReport({ ...figures, say: tell });
  console.log(showFigures(result, json));
  for (const finding of findings) tell(finding);
  return findings.length === 0 ? 0 : 1;
});
