import { StatusBadge } from '../parts/status-badge.tsx';
import { hrefOf, runHref } from '../route.ts';
import { showAge, showAhead, showLength, showTime } from '../show-time.ts';
import { visibleText } from '../visible-text.ts';
import { hasEnded, type RunSummary } from '../wire.ts';

interface RunTableProps {
  readonly namespace: string;
  readonly runs: readonly RunSummary[];
  readonly now: number;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runIds: ReadonlySet<string>) => void;
}

export const RunTable = ({ namespace, runs, now, selected, onSelect }: RunTableProps) => {
  const open = runs.filter((run) => !hasEnded(run)).map(({ run_id }) => run_id);
  const all = open.length > 0 && open.every((runId) => selected.has(runId));
  const toggle = (runId: string): void => {
    const next = new Set(selected);
    if (!next.delete(runId)) next.add(runId);
    onSelect(next);
  };
  return (
    <div class="table-frame">
      <table class="runs">
        <thead>
          <tr>
            <th class="tick">
              <input
                type="checkbox"
                aria-label="Select all open runs on this page"
                checked={all}
                disabled={open.length === 0}
                onChange={() => onSelect(all ? new Set() : new Set(open))}
              />
              <span class="phone-only" aria-hidden="true">
                Select all open runs
              </span>
            </th>
            <th>Status</th>
            <th>Workflow</th>
            <th>Queue</th>
            <th>Schedule</th>
            <th>Started</th>
            <th class="number">Duration</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run_id} class={selected.has(run.run_id) ? 'selected' : ''}>
              <td class="tick">
                <input
                  type="checkbox"
                  aria-label={`Select ${run.workflow_type} ${run.run_id}`}
                  checked={selected.has(run.run_id)}
                  disabled={hasEnded(run)}
                  onChange={() => toggle(run.run_id)}
                />
              </td>
              <td class="status">
                <StatusBadge status={run.status} />
              </td>
              <td class="main-cell">
                <a class="row-link" href={runHref(namespace, run.run_id)}>
                  {run.workflow_type}
                  {run.version !== '1' && <span class="version">v{run.version}</span>}
                </a>
                <span class="sub mono">{visibleText(run.external_id ?? run.run_id)}</span>
                {run.error !== null && <span class="sub error-text">{visibleText(run.error.message)}</span>}
              </td>
              <td class="clip" data-name="Queue" title={run.task_queue}>
                {run.task_queue}
              </td>
              <td
                class={run.schedule_id === null ? 'empty' : 'clip'}
                data-name="Schedule"
                title={run.schedule_id ?? ''}
              >
                {run.schedule_id === null ? (
                  <span class="faint">–</span>
                ) : (
                  <a href={hrefOf({ namespace, view: 'schedules', id: run.schedule_id })}>{run.schedule_id}</a>
                )}
              </td>
              <td data-name="Started" title={showTime(run.started_at ?? run.created_at)}>
                {startedText(run, now)}
              </td>
              <td class="number corner">{durationText(run, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

function startedText(run: RunSummary, now: number): string {
  if (run.started_at !== null) return showAge(run.started_at, now);
  if (run.available_at !== null && Date.parse(run.available_at) > now)
    return `starts ${showAhead(run.available_at, now)}`;
  return hasEnded(run) ? 'never' : `waiting for ${showLength(now - Date.parse(run.created_at))}`;
}

const durationText = ({ started_at, finished_at }: RunSummary, now: number): string =>
  started_at === null
    ? '–'
    : showLength((finished_at === null ? now : Date.parse(finished_at)) - Date.parse(started_at));
