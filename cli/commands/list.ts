import { allPages } from '../all-pages.ts';
import { defineCommand, printJson } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { readCount, readTime } from '../read-values.ts';
import { between, showLength, showTime } from '../show-time.ts';
import { textTable } from '../text-table.ts';
import type { WirePage, WireRun } from '../wire.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List runs, newest first',
  options: {
    status: { type: 'string', value: 'STATUS', help: 'PENDING, RUNNING, SLEEPING, COMPLETED, FAILED or CANCELLED' },
    class: { type: 'string', value: 'CLASS', help: 'OPEN, COMPLETED, FAILED or CANCELLED' },
    type: { type: 'string', value: 'TYPE', help: 'workflow type' },
    version: { type: 'string', value: 'V', help: 'version of the workflow' },
    queue: { type: 'string', value: 'NAME', help: 'task queue' },
    schedule: { type: 'string', value: 'ID', help: 'runs that this schedule has started' },
    'external-id': { type: 'string', value: 'ID', help: 'the run of this external id' },
    after: {
      type: 'string',
      value: 'TIME',
      help: 'created at this time or later, such as 2026-01-31 or 2026-01-31T09:00:00Z',
    },
    before: { type: 'string', value: 'TIME', help: 'created before this time' },
    limit: { type: 'string', value: 'N', help: '20 if not given' },
  },
  async run(terminal, _args, values) {
    const limit = readCount('limit', values.limit ?? '20', 1);
    const query = {
      status: values.status?.toUpperCase(),
      class: values.class?.toUpperCase(),
      workflow_type: values.type,
      version: values.version,
      task_queue: values.queue,
      schedule_id: values.schedule,
      external_id: values['external-id'],
      created_after: readTime('after', values.after),
      created_before: readTime('before', values.before),
    };
    const { rows, more } = await allPages(
      terminal.connect(),
      { path: '/runs', query },
      (page: WirePage & { readonly runs: readonly WireRun[] }) => page.runs,
      limit,
    );
    if (terminal.json) printJson(terminal, { runs: rows, more });
    else terminal.print(rows.length === 0 ? 'No runs.' : showRuns(rows, Date.now()));
    if (more && !terminal.json) terminal.note('There are more: --limit shows them.');
    return EXIT.ok;
  },
});

const showRuns = (runs: readonly WireRun[], now: number): string =>
  textTable(runs, [
    { title: 'RUN', of: (run) => run.run_id },
    { title: 'WORKFLOW', of: (run) => run.workflow_type },
    { title: 'VERSION', of: (run) => run.version },
    { title: 'STATUS', of: (run) => run.status },
    { title: 'CREATED', of: (run) => showTime(run.created_at) },
    { title: 'TOOK', align: 'right', of: (run) => showLength(between(run.created_at, run.finished_at, now)) },
    { title: 'EXTERNAL ID', of: (run) => run.external_id ?? '' },
  ]);
