import { useRef, useState } from 'preact/hooks';
import { callApi, within } from '../api.ts';
import { useLive } from '../live.ts';
import { useNow } from '../now.ts';
import { JsonBlock } from '../parts/json-block.tsx';
import { LoadingNote, ProblemBar, ProblemNote } from '../parts/notes.tsx';
import { Pager } from '../parts/pager.tsx';
import { readableJson } from '../readable-json.ts';
import type { Fire, Paged, Schedule } from '../wire.ts';
import { BackfillDialog } from './backfill-dialog.tsx';
import { FireHistory } from './fire-history.tsx';
import { FireTimes } from './fire-preview.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { ScheduleHeader } from './schedule-header.tsx';

interface Loaded {
  readonly schedule: Schedule;
  readonly next: readonly string[];
  readonly fires: Fires;
}

interface Fires extends Paged {
  readonly fires: readonly Fire[];
}

const PACE = { minMs: 1_500, maxMs: 15_000 };

async function load(path: string, page_token: string | undefined, signal: AbortSignal): Promise<Loaded> {
  const [schedule, { fire_times }, fires] = await Promise.all([
    callApi<Schedule>(path, { signal }),
    callApi<{ readonly fire_times: readonly string[] }>(`${path}/next`, { query: { count: 10 }, signal }),
    callApi<Fires>(`${path}/history`, { query: { page_size: 20, page_token }, signal }),
  ]);
  return { schedule, next: fire_times, fires };
}

export const SchedulePage = ({
  namespace,
  scheduleId,
}: {
  readonly namespace: string;
  readonly scheduleId: string;
}) => {
  const [dialog, setDialog] = useState<'edit' | 'backfill' | null>(null);
  const now = useNow(1_000);
  const path = within(namespace, `/schedules/${encodeURIComponent(scheduleId)}`);
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const live = useLive<Loaded>(
    `${path} ${tokens.at(-1) ?? ''}`,
    (signal) => load(path, tokens.at(-1), signal),
    () => PACE,
  );
  /** While another page of the history is on its way, all the rest stays. */
  const shown = useRef<Loaded | null>(null);
  shown.current = live.data ?? shown.current;
  if (shown.current === null) {
    return live.problem === null ? (
      <LoadingNote what="the schedule" />
    ) : (
      <ProblemNote problem={live.problem} retry={live.refresh} />
    );
  }
  const { schedule, next, fires } = shown.current;
  return (
    <>
      <ScheduleHeader
        schedule={schedule}
        now={now}
        path={path}
        live={live}
        onDialog={setDialog}
        onChange={live.refresh}
      />
      {live.problem !== null && <ProblemBar problem={live.problem} retry={live.refresh} />}
      <div class="schedule-body">
        <section aria-labelledby="next-title">
          <h2 id="next-title">Next fires</h2>
          <div class="card">
            {schedule.status === 'PAUSED' && (
              <p class="warning-text">It is paused: these would be the times if it were not.</p>
            )}
            <FireTimes zone={schedule.timezone} times={next} />
          </div>
          {'input' in schedule && <JsonBlock label="Input" text={readableJson(schedule.input)} />}
        </section>
        <FireHistory namespace={namespace} fires={fires.fires} zone={schedule.timezone}>
          <Pager
            page={tokens.length + 1}
            hasNext={fires.next_page_token !== null}
            onPrevious={() => setTokens(tokens.slice(0, -1))}
            onNext={() => setTokens([...tokens, fires.next_page_token ?? ''])}
          />
        </FireHistory>
      </div>
      {dialog === 'edit' && (
        <ScheduleDialog
          namespace={namespace}
          schedule={schedule}
          onClose={() => setDialog(null)}
          onSaved={live.refresh}
        />
      )}
      {dialog === 'backfill' && (
        <BackfillDialog
          path={path}
          policy={schedule.overlap_policy}
          onClose={() => setDialog(null)}
          onDone={live.refresh}
        />
      )}
    </>
  );
};
