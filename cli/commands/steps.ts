import { allPages } from '../all-pages.ts';
import { defineCommand, printJson } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { between, showLength, showTime } from '../show-time.ts';
import { shorten, textTable } from '../text-table.ts';
import { runPath, type WirePage, type WireRun, type WireStep } from '../wire.ts';

const BAR = 24;
const DETAIL = 60;

export const steps = defineCommand({
  name: 'steps',
  args: ['<run>'],
  summary: 'The steps of a run as a timeline',
  async run(terminal, [runId = '']) {
    const api = terminal.connect();
    const run = await api.call<WireRun>({ path: runPath(runId) });
    const { rows } = await allPages(
      api,
      { path: `${runPath(runId)}/steps` },
      (page: WirePage & { readonly steps: readonly WireStep[] }) => page.steps,
    );
    const sorted = [...rows].sort((a, b) => a.started_at.localeCompare(b.started_at));
    if (terminal.json) printJson(terminal, { run, steps: sorted });
    else terminal.print(timeline(run, sorted, Date.now()));
    return EXIT.ok;
  },
});

function timeline(run: WireRun, rows: readonly WireStep[], now: number): string {
  const total = Math.max(1, between(run.created_at, run.finished_at, now));
  const head = `${run.workflow_type} ${run.run_id}: ${run.status} after ${showLength(total)}`;
  if (rows.length === 0) return `${head}\nNo step has been recorded yet.`;
  const at = (step: WireStep): number => Date.parse(step.started_at) - Date.parse(run.created_at);
  const took = (step: WireStep): number => between(step.started_at, step.finished_at, now);
  const table = textTable(rows, [
    { title: 'AT', align: 'right', of: (step) => showLength(at(step)) },
    { title: 'TIMELINE', of: (step) => bar(at(step) / total, took(step) / total) },
    { title: 'STEP', of: (step) => step.step_id },
    { title: 'STATUS', of: (step) => step.status },
    { title: 'TOOK', align: 'right', of: (step) => showLength(took(step)) },
    { title: 'DETAILS', of: (step) => shorten(detailsOf(step), DETAIL) },
  ]);
  return `${head}\n${table}`;
}

function bar(start: number, length: number): string {
  const from = Math.min(BAR - 1, Math.max(0, Math.floor(start * BAR)));
  const width = Math.max(1, Math.min(BAR - from, Math.round(length * BAR)));
  return `${'·'.repeat(from)}${'█'.repeat(width)}${'·'.repeat(BAR - from - width)}`;
}

function detailsOf(step: WireStep): string {
  const parts = [
    step.attempt > 1 ? `attempt ${step.attempt}` : '',
    step.next_retry_at === null ? '' : `again at ${showTime(step.next_retry_at)}`,
    step.wake_at === null ? '' : `until ${showTime(step.wake_at)}`,
    step.child_run_id === null ? '' : `run ${step.child_run_id}`,
    step.error === null ? '' : `${step.error.code}: ${step.error.message}`,
    step.output === undefined ? '' : JSON.stringify(step.output),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
