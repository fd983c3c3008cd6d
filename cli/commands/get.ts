import { defineCommand, printJson } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { between, showLength, showTime } from '../show-time.ts';
import { plain } from '../text-table.ts';
import { runPath, type WireRun } from '../wire.ts';

export const get = defineCommand({
  name: 'get',
  args: ['<run>'],
  summary: 'Show a run',
  async run(terminal, [runId = '']) {
    const run = await terminal.connect().call<WireRun>({ path: runPath(runId) });
    if (terminal.json) printJson(terminal, run);
    else terminal.print(showRun(run));
    return EXIT.ok;
  },
});

function showRun(run: WireRun): string {
  const took = run.started_at === null ? null : showLength(between(run.started_at, run.finished_at, Date.now()));
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['run', run.run_id],
    ['status', run.status],
    ['workflow', `${run.workflow_type}, version ${run.version}`],
    ['external id', run.external_id],
    ['task queue', run.task_queue],
    ['parent', run.parent && `${run.parent.run_id}, step ${run.parent.step_id}`],
    ['attempts', run.attempts > 1 ? String(run.attempts) : null],
    ['created', showTime(run.created_at)],
    ['started', showTime(run.started_at)],
    ['goes on', showTime(run.available_at)],
    ['finished', run.finished_at && `${showTime(run.finished_at)} (after ${took})`],
    ['held by', run.locked_by],
    ['cancelled', run.cancel_reason],
    ['input', JSON.stringify(run.input)],
    ['output', JSON.stringify(run.output)],
    ['error', run.error && `${run.error.code}: ${run.error.message}`],
  ];
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return shown.map(([name, value]) => `${name.padEnd(12)}${plain(value ?? '')}`).join('\n');
}
