import { defineCommand, printJson } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { readRunId } from '../read-run-id.ts';
import { readable } from '../readable.ts';
import { between, showLength, showTime } from '../show-time.ts';
import { stackOf } from '../step-timeline.ts';
import { plain } from '../text-table.ts';
import { unservedHint } from '../who-serves.ts';
import { runPath, type WireRun } from '../wire.ts';

export const get = defineCommand({
  name: 'get',
  args: ['<run>'],
  summary: 'Show a run',
  async run(terminal, [runId = '']) {
    const api = terminal.connect();
    const run = await api.call<WireRun>({ path: runPath(readRunId(runId)) });
    if (terminal.json) {
      printJson(terminal, run);
      return EXIT.ok;
    }
    terminal.print(showRun(run));
    const hint = await unservedHint(api, run);
    if (hint !== null) terminal.note(hint);
    return EXIT.ok;
  },
});

const isPast = (time: string | null): boolean => time !== null && Date.parse(time) <= Date.now();

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
    ['goes on', run.started_at === null && isPast(run.available_at) ? null : showTime(run.available_at)],
    ['finished', run.finished_at && `${showTime(run.finished_at)} (after ${took})`],
    ['held by', run.locked_by],
    ['cancelled', run.cancel_reason],
    ['input', JSON.stringify(readable(run.input))],
    ['output', JSON.stringify(readable(run.output))],
    ['error', run.error && `${run.error.code}: ${run.error.message}`],
  ];
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const lines = shown.map(([name, value]) => `${name.padEnd(12)}${plain(value ?? '')}`);
  return [...lines, ...(run.error?.stack == null ? [] : ['', stackOf(run.error)])].join('\n');
}
