import { allPages } from '../all-pages.ts';
import { defineCommand, printJson } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { between, showLength } from '../show-time.ts';
import { textTable } from '../text-table.ts';
import type { WirePage, WireWorker } from '../wire.ts';

const NONE = 'No worker has registered. Workflows served in the process of the engine, or by Lambda, are not listed.';

export const workers = defineCommand({
  name: 'workers',
  summary: 'List the workers that poll over HTTP',
  options: {
    queue: { type: 'string', value: 'NAME', help: 'task queue' },
    status: { type: 'string', value: 'STATUS', help: 'ONLINE, DRAINING or OFFLINE' },
  },
  async run(terminal, _args, { queue, status }) {
    const { rows } = await allPages(
      terminal.connect(),
      { path: '/workers', query: { task_queue: queue, status: status?.toUpperCase() } },
      (page: WirePage & { readonly workers: readonly WireWorker[] }) => page.workers,
    );
    if (terminal.json) printJson(terminal, { workers: rows });
    else terminal.print(rows.length === 0 ? NONE : showWorkers(rows, Date.now()));
    return EXIT.ok;
  },
});

const showWorkers = (rows: readonly WireWorker[], now: number): string =>
  textTable(rows, [
    { title: 'WORKER', of: (worker) => worker.worker_id },
    { title: 'NAME', of: (worker) => worker.name ?? '' },
    { title: 'STATUS', of: (worker) => worker.status },
    { title: 'HEALTH', of: (worker) => worker.health.status },
    { title: 'QUEUE', of: (worker) => worker.task_queue },
    { title: 'RUNS', align: 'right', of: (worker) => `${worker.active_count}/${worker.max_concurrent}` },
    {
      title: 'HEARD',
      align: 'right',
      of: (worker) => `${showLength(between(worker.last_heartbeat_at, null, now))} ago`,
    },
    { title: 'HOST', of: (worker) => (worker.hostname === null ? '' : `${worker.hostname}:${worker.pid ?? ''}`) },
    { title: 'WORKFLOWS', of: (worker) => worker.workflow_types.join(', ') },
  ]);
