import { EmptyNote } from '../parts/notes.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { runHref } from '../route.ts';
import { showCount } from '../show-number.ts';
import { showAge, showTime } from '../show-time.ts';
import { visibleText } from '../visible-text.ts';
import type { TaskQueue, Worker } from '../wire.ts';
import { Types } from './types.tsx';

interface WorkerTableProps {
  readonly namespace: string;
  readonly workers: readonly Worker[];
  readonly queues: readonly TaskQueue[];
  readonly now: number;
}

const ORDER: readonly Worker['status'][] = ['ONLINE', 'DRAINING', 'OFFLINE'];
const RUNS_SHOWN = 3;

export const WorkerTable = ({ namespace, workers, queues, now }: WorkerTableProps) => {
  const sorted = [...workers].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  return (
    <section aria-labelledby="workers-title">
      <h2 id="workers-title">Workers over HTTP</h2>
      {workers.length === 0 ? (
        <EmptyNote icon="cpu" title="No worker has registered">
          <p>{adviceFor(queues)}</p>
        </EmptyNote>
      ) : (
        <div class="table-frame">
          <table>
            <thead>
              <tr>
                <th>Status</th>
                <th>Worker</th>
                <th>Queue</th>
                <th>Serves</th>
                <th>Last heartbeat</th>
                <th class="number">Active</th>
                <th class="number">Completed</th>
                <th class="number">Failed</th>
              </tr>
            </thead>
            <tbody>
              {sorted.map((worker) => (
                <tr key={worker.worker_id}>
                  <td class="status">
                    <StatusBadge status={worker.status} />
                  </td>
                  <td class="main-cell">
                    {visibleText(worker.name ?? worker.hostname ?? 'worker')}
                    <span class="sub mono">{worker.worker_id}</span>
                    {worker.status !== 'OFFLINE' && worker.health.reasons.length > 0 && (
                      <span class="sub warning-text">{worker.health.reasons.join('; ')}</span>
                    )}
                  </td>
                  <td class="clip" data-name="Queue" title={worker.task_queue}>
                    {worker.task_queue}
                  </td>
                  <td class="wrap" data-name="Serves">
                    <Types names={worker.workflow_types} />
                  </td>
                  <td data-name="Last heartbeat" title={showTime(worker.last_heartbeat_at)}>
                    {showAge(worker.last_heartbeat_at, now)}
                  </td>
                  <td class="number" data-name="Active">
                    {worker.active_count} of {worker.max_concurrent}
                    {worker.run_ids.slice(0, RUNS_SHOWN).map((runId) => (
                      <a key={runId} class="sub mono" href={runHref(namespace, runId)}>
                        …{runId.slice(-8)}
                      </a>
                    ))}
                  </td>
                  <td class="number" data-name="Completed">
                    {showCount(worker.total_completed)}
                  </td>
                  <td class="number" data-name="Failed">
                    {showCount(worker.total_failed)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
};

const adviceFor = (queues: readonly TaskQueue[]): string =>
  queues.some(({ in_process_types }) => (in_process_types?.length ?? 0) > 0)
    ? 'The engine serves workflows in its own process; these do not register. Workers elsewhere show here when they poll.'
    : 'Workers that poll over HTTP show here. In an account, Lambda functions serve runs without registering.';
