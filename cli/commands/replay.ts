import { readFileSync } from 'node:fs';
import type { AnyWorkflow } from '../../sdk/context.ts';
import { NonDeterminismError } from '../../sdk/errors.ts';
import type { ExportedRun } from '../../sdk/exported-run.ts';
import { replay as replayRun } from '../../sdk/testing/replay.ts';
import { defineCommand, printJson } from '../command.ts';
import { CliError, EXIT } from '../exit-codes.ts';

export const replay = defineCommand({
  name: 'replay',
  args: ['<history.json>', '<file>'],
  local: true,
  summary: 'Check an exported run against the code of a file; no step is executed',
  notes: ['Exits with 1 if the code would go another way than the run did.'],
  async run(terminal, [historyFile = '', file = '']) {
    const history = readHistory(historyFile);
    const { workflow_type: type, version } = history.run;
    const workflows = await loadWorkflows(file);
    const workflow = workflows.find((candidate) => candidate.type === type && candidate.version === version);
    if (workflow === undefined) {
      const there = workflows.map((candidate) => `${candidate.type} ${candidate.version}`).join(', ');
      throw new CliError(`The run is of ${type}, version ${version}; ${file} has ${there}.`);
    }
    try {
      const replayed = await replayRun(history, workflow);
      if (terminal.json) printJson(terminal, { matches: true, ...replayed });
      else terminal.print(`The code goes the way the run went: ${replayed.steps} steps, ${replayed.ended}.`);
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof NonDeterminismError)) throw error;
      if (terminal.json) printJson(terminal, { matches: false, difference: error.message });
      terminal.note(error.message);
      return EXIT.failed;
    }
  },
});

async function loadWorkflows(file: string): Promise<readonly AnyWorkflow[]> {
  const { WorkflowFileError, WorkflowLoader } = await import('../../local/load-workflows.ts');
  try {
    return await (await WorkflowLoader.create()).load([file]);
  } catch (error) {
    throw error instanceof WorkflowFileError ? new CliError(error.message) : error;
  }
}

function readHistory(path: string): ExportedRun {
  let history: Partial<ExportedRun>;
  try {
    history = JSON.parse(readFileSync(path, 'utf8')) as Partial<ExportedRun>;
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (history.run?.workflow_type !== undefined && Array.isArray(history.steps)) return history as ExportedRun;
  throw new CliError(`${path} is no export of a run; \`kagzi export <run> -o ${path}\` makes one.`);
}
