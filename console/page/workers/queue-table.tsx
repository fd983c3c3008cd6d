import { Icon } from '../parts/icon.tsx';
import { EmptyNote } from '../parts/notes.tsx';
import { showCount } from '../show-number.ts';
import { showLength } from '../show-time.ts';
import type { TaskQueue } from '../wire.ts';
import { Types } from './types.tsx';

/** A message that has waited this long is worth a look. */
const LATE_MS = 60_000;

interface QueueTableProps {
  readonly queues: readonly TaskQueue[];
  /** Types that somebody is there for, though nothing may have run yet. */
  readonly served: readonly string[];
}

export const QueueTable = ({ queues, served }: QueueTableProps) => (
  <section aria-labelledby="queues-title">
    <h2 id="queues-title">Task queues</h2>
    {queues.length === 0 ? (
      <EmptyNote icon="list" title="No queue is in use">
        <p>A queue shows here once a run was started on it, or a worker asked for it.</p>
        {served.length > 0 && <p>Served and ready: {served.join(', ')}.</p>}
      </EmptyNote>
    ) : (
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th>Queue</th>
              <th class="number">Waiting</th>
              <th class="number">Oldest waits</th>
              <th class="number">Delayed</th>
              <th class="number">Under way</th>
              <th>Served in the engine</th>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <tr key={queue.name}>
                <td class="main-cell">{queue.name}</td>
                <td class="number" data-name="Waiting">
                  {showCount(queue.ready)}
                </td>
                <td class="number" data-name="Oldest waits">
                  {(queue.oldest_age_ms ?? 0) > LATE_MS && (
                    <span class="warning-text">
                      <Icon name="alert" size={14} />
                      <span class="visually-hidden">late: </span>
                    </span>
                  )}
                  {queue.oldest_age_ms === null ? '–' : showLength(queue.oldest_age_ms)}
                </td>
                <td class="number" data-name="Delayed">
                  {showCount(queue.delayed)}
                </td>
                <td class="number" data-name="Under way">
                  {showCount(queue.in_flight)}
                </td>
                <td class="wrap" data-name="Served in the engine">
                  <Types names={queue.in_process_types ?? []} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
);
