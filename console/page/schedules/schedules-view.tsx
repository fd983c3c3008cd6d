import { useState } from 'preact/hooks';
import { callApi, within } from '../api.ts';
import { useLive } from '../live.ts';
import { useNow } from '../now.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyNote, LoadingNote, ProblemBar, ProblemNote } from '../parts/notes.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { Pager } from '../parts/pager.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { hrefOf } from '../route.ts';
import { showCount } from '../show-number.ts';
import { showAge, showAhead, showTime } from '../show-time.ts';
import { visibleText } from '../visible-text.ts';
import type { Paged, Schedule } from '../wire.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { showSpec } from './show-spec.ts';

interface SchedulePage extends Paged {
  readonly schedules: readonly Schedule[];
}

const PAGE_SIZE = 20;
const PACE = { minMs: 2_000, maxMs: 15_000 };

export const SchedulesView = ({ namespace }: { readonly namespace: string }) => {
  const [creating, setCreating] = useState(false);
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const now = useNow(1_000);
  const token = tokens.at(-1);
  const live = useLive<SchedulePage>(
    `schedules ${namespace} ${token ?? ''}`,
    (signal) =>
      callApi(within(namespace, '/schedules'), { query: { page_size: PAGE_SIZE, page_token: token }, signal }),
    () => PACE,
  );
  return (
    <>
      <PageHeader title="Schedules" live={live}>
        <button type="button" class="button primary" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          Create a schedule
        </button>
      </PageHeader>
      {live.problem !== null && live.data !== null && <ProblemBar problem={live.problem} retry={live.refresh} />}
      {live.data === null ? (
        live.problem === null ? (
          <LoadingNote what="schedules" />
        ) : (
          <ProblemNote problem={live.problem} retry={live.refresh} />
        )
      ) : live.data.schedules.length === 0 ? (
        <EmptyNote icon="calendar" title="No schedules yet">
          <p>A schedule starts runs at given times: by a cron expression in a time zone, or at even intervals.</p>
          <button type="button" class="button" onClick={() => setCreating(true)}>
            Create one
          </button>
        </EmptyNote>
      ) : (
        <ScheduleTable namespace={namespace} schedules={live.data.schedules} now={now} />
      )}
      <Pager
        page={tokens.length + 1}
        hasNext={live.data?.next_page_token != null}
        onPrevious={() => setTokens(tokens.slice(0, -1))}
        onNext={() => setTokens([...tokens, live.data?.next_page_token ?? ''])}
      />
      {creating && (
        <ScheduleDialog
          namespace={namespace}
          schedule={null}
          onClose={() => setCreating(false)}
          onSaved={live.refresh}
        />
      )}
    </>
  );
};

interface ScheduleTableProps {
  readonly namespace: string;
  readonly schedules: readonly Schedule[];
  readonly now: number;
}

const ScheduleTable = ({ namespace, schedules, now }: ScheduleTableProps) => (
  <div class="table-frame">
    <table class="linked">
      <thead>
        <tr>
          <th>Status</th>
          <th>Schedule</th>
          <th>Workflow</th>
          <th>When</th>
          <th>Next fire</th>
          <th>Last fired</th>
          <th class="number">Fired</th>
        </tr>
      </thead>
      <tbody>
        {schedules.map((schedule) => (
          <tr key={schedule.schedule_id}>
            <td class="status">
              <StatusBadge status={schedule.status} />
            </td>
            <td class="main-cell">
              <a class="row-link" href={hrefOf({ namespace, view: 'schedules', id: schedule.schedule_id })}>
                {schedule.schedule_id}
              </a>
              {schedule.note !== null && <span class="sub">{visibleText(schedule.note)}</span>}
              {schedule.last_error !== null && (
                <span class="sub error-text">{visibleText(schedule.last_error.message)}</span>
              )}
            </td>
            <td class="clip" data-name="Workflow" title={schedule.workflow_type}>
              {schedule.workflow_type}
            </td>
            <td class="clip" data-name="When" title={showSpec(schedule)}>
              {showSpec(schedule)}
              <span class="sub">{schedule.timezone}</span>
            </td>
            <td data-name="Next fire" title={schedule.next_fire_at === null ? '' : showTime(schedule.next_fire_at)}>
              {schedule.next_fire_at === null ? <span class="faint">–</span> : showAhead(schedule.next_fire_at, now)}
            </td>
            <td data-name="Last fired" title={schedule.last_fired_at === null ? '' : showTime(schedule.last_fired_at)}>
              {schedule.last_fired_at === null ? (
                <span class="faint">never</span>
              ) : (
                showAge(schedule.last_fired_at, now)
              )}
            </td>
            <td class="number" data-name="Fired">
              {showCount(schedule.fired)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
