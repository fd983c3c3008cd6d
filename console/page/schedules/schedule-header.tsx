import { useState } from 'preact/hooks';
import { type ApiProblem, callApi, problemOf } from '../api.ts';
import { lengthText } from '../length-text.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { Fact } from '../parts/fact.tsx';
import { Icon } from '../parts/icon.tsx';
import { LiveMark } from '../parts/page-header.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { useOnce } from '../request-id.ts';
import { goTo, hrefOf, runHref } from '../route.ts';
import { plural } from '../show-number.ts';
import { showAge, showAhead, showTime } from '../show-time.ts';
import { visibleText } from '../visible-text.ts';
import type { Schedule } from '../wire.ts';
import { showPolicy } from './retry-draft.ts';
import { OVERLAPS } from './schedule-draft.ts';
import { showSpec } from './show-spec.ts';

interface ScheduleHeaderProps {
  readonly schedule: Schedule;
  readonly now: number;
  readonly path: string;
  readonly live: { readonly problem: ApiProblem | null; readonly at: number | null };
  readonly onDialog: (which: 'edit' | 'backfill') => void;
  readonly onChange: () => void;
}

interface Triggered {
  readonly outcome: 'started' | 'buffered' | 'skipped';
  readonly run_id: string | null;
}

const OUTCOMES: Readonly<Record<Triggered['outcome'], string>> = {
  started: 'A run was started.',
  buffered: 'A run is still open; this one starts when it ends.',
  skipped: 'A run is still open; by the overlap policy none was started.',
};

export const ScheduleHeader = ({ schedule, now, path, live, onDialog, onChange }: ScheduleHeaderProps) => {
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [deleting, setDeleting] = useState(false);
  const { namespace } = schedule;
  const [busy, setBusy] = useState(false);
  const act = async (action: () => Promise<string>): Promise<void> => {
    setBusy(true);
    try {
      setSaid(await action());
      setProblem(null);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
    onChange();
  };
  const triggerOnce = useOnce((request_id) => callApi<Triggered>(`${path}/trigger`, { body: { request_id } }));
  const trigger = () => act(async () => OUTCOMES[(await triggerOnce(path)).outcome]);
  const pauseOrResume = () =>
    act(async () => {
      const isPaused = schedule.status === 'PAUSED';
      await callApi(`${path}/${isPaused ? 'resume' : 'pause'}`, { body: {} });
      return isPaused ? 'It fires again.' : 'It is paused.';
    });
  const remove = () =>
    act(async () => {
      await callApi(path, { method: 'DELETE' });
      goTo(hrefOf({ namespace, view: 'schedules' }));
      return 'Deleted.';
    });
  return (
    <header class="run-header">
      <a class="back" href={hrefOf({ namespace, view: 'schedules' })}>
        <Icon name="left" size={14} />
        Schedules
      </a>
      <div class="run-title">
        <h1>{schedule.schedule_id}</h1>
        <StatusBadge status={schedule.status} />
        <LiveMark {...live} />
        <div class="page-actions">
          <button type="button" class="button" disabled={busy} onClick={() => void trigger()}>
            <Icon name="bolt" />
            Trigger now
          </button>
          <button type="button" class="button" disabled={busy} onClick={() => void pauseOrResume()}>
            <Icon name={schedule.status === 'PAUSED' ? 'play' : 'pause'} />
            {schedule.status === 'PAUSED' ? 'Resume' : 'Pause'}
          </button>
          <button type="button" class="button" onClick={() => onDialog('backfill')}>
            Backfill…
          </button>
          <button type="button" class="button" onClick={() => onDialog('edit')}>
            Edit…
          </button>
          <button type="button" class="button danger" onClick={() => setDeleting(true)}>
            Delete…
          </button>
        </div>
      </div>
      <p class="run-id">
        <span>{visibleText(schedule.note ?? '')}</span>
        <span role="status">{said}</span>
      </p>
      {problem !== null && (
        <p class="error-text" role="alert">
          {problem.message}
        </p>
      )}
      <ScheduleFacts schedule={schedule} now={now} />
      {deleting && (
        <Dialog title={`Delete ${schedule.schedule_id}?`} onClose={() => setDeleting(false)}>
          <p>It fires no more, and its history is gone. The runs it started stay.</p>
          <DialogButtons onClose={() => setDeleting(false)}>
            <button type="button" class="button danger" disabled={busy} onClick={() => void remove()}>
              Delete the schedule
            </button>
          </DialogButtons>
        </Dialog>
      )}
    </header>
  );
};

const ScheduleFacts = ({ schedule, now }: Pick<ScheduleHeaderProps, 'schedule' | 'now'>) => (
  <dl class="facts">
    <Fact name="Starts">{schedule.workflow_type}</Fact>
    <Fact name="When">
      <span class="mono">{showSpec(schedule)}</span>
    </Fact>
    <Fact name="Time zone">{schedule.timezone}</Fact>
    {schedule.next_fire_at !== null && (
      <Fact name="Next fire" title={showTime(schedule.next_fire_at)}>
        {showAhead(schedule.next_fire_at, now)}
      </Fact>
    )}
    {schedule.start_at !== null && <Fact name="Not before">{showTime(schedule.start_at)}</Fact>}
    {schedule.end_at !== null && <Fact name="Not after">{showTime(schedule.end_at)}</Fact>}
    {schedule.jitter_ms > 0 && <Fact name="Jitter">{`up to ${lengthText(schedule.jitter_ms)}`}</Fact>}
    <Fact name="Retries">{showPolicy(schedule.retry_policy)}</Fact>
    <Fact name="Queue">{schedule.task_queue}</Fact>
    <Fact name="While a run is open">{OVERLAPS[schedule.overlap_policy]}</Fact>
    <Fact name="Fired">
      <a href={hrefOf({ namespace: schedule.namespace, view: 'runs', query: { schedule: schedule.schedule_id } })}>
        {plural(schedule.fired, 'time')}
      </a>
    </Fact>
    <Fact name="Skipped">{schedule.skipped.catchup + schedule.skipped.overlap}</Fact>
    {schedule.running !== null && (
      <Fact name="Open run">
        <a href={runHref(schedule.namespace, schedule.running.run_id)}>
          fired {showAge(schedule.running.fire_at, now)}
        </a>
      </Fact>
    )}
    {schedule.pause_reason !== null && <Fact name="Paused because">{visibleText(schedule.pause_reason)}</Fact>}
    {schedule.last_error !== null && <Fact name="Last error">{visibleText(schedule.last_error.message)}</Fact>}
  </dl>
);
