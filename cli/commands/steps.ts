import { allPages } from '../all-pages.ts';
import { defineCommand, printJson } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { readRunId } from '../read-run-id.ts';
import { stepErrors, stepTimeline } from '../step-timeline.ts';
import { runPath, type WirePage, type WireRun, type WireStep } from '../wire.ts';

export const steps = defineCommand({
  name: 'steps',
  args: ['<run>'],
  summary: 'The steps of a run as a timeline',
  options: { verbose: { type: 'boolean', short: 'v', help: 'the errors of steps in full, with their stacks' } },
  notes: ['█ an attempt, ▒ one that failed. ABANDONED is what had not ended when the run did: a lost race, a cancel.'],
  async run(terminal, [given = ''], { verbose }) {
    const api = terminal.connect();
    const runId = readRunId(given);
    const run = await api.call<WireRun>({ path: runPath(runId) });
    const { rows } = await allPages(
      api,
      { path: `${runPath(runId)}/steps` },
      (page: WirePage & { readonly steps: readonly WireStep[] }) => page.steps,
    );
    const sorted = [...rows].sort((a, b) => a.started_at.localeCompare(b.started_at));
    if (terminal.json) printJson(terminal, { run, steps: sorted });
    else terminal.print(stepTimeline(run, sorted, Date.now()));
    const errors = verbose === true && !terminal.json ? stepErrors(sorted) : '';
    if (errors !== '') terminal.print(`\n${errors}`);
    return EXIT.ok;
  },
});
