import type { Schedule, ScheduleStatus } from '../model/schedule.ts';
import type { Engine } from '../store/engine.ts';
import { listSchedules as listStored, schedulePlace } from '../store/schedules.ts';
import { pageCursor, pageToken } from './page-token.ts';
import { showRunning } from './show-running.ts';

export interface ListSchedules {
  readonly namespace: string;
  readonly taskQueue?: string | undefined;
  readonly workflowType?: string | undefined;
  readonly status?: ScheduleStatus | undefined;
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

/** A page may be short, and still have a next one: only so many schedules are looked at for it. */
const LOOKED_AT_MOST = 1_000;
const READ_AT_ONCE = 100;

/** Newest first. */
export async function listSchedules(
  engine: Engine,
  request: ListSchedules,
): Promise<{ readonly schedules: readonly Schedule[]; readonly nextPageToken: string | null }> {
  const { namespace, taskQueue, workflowType, status, pageSize } = request;
  const query = { schedules: namespace, taskQueue, workflowType, status };
  const asked = (schedule: Schedule): boolean =>
    (taskQueue === undefined || schedule.taskQueue === taskQueue) &&
    (workflowType === undefined || schedule.workflowType === workflowType) &&
    (status === undefined || schedule.status === status);
  const found: Schedule[] = [];
  const answer = async (schedules: readonly Schedule[], nextPageToken: string | null) => ({
    schedules: await showRunning(engine, schedules),
    nextPageToken,
  });
  let before = pageCursor(query, request.pageToken);
  for (let looked = 0; looked < LOOKED_AT_MOST; ) {
    const page = await listStored(engine, namespace, before, READ_AT_ONCE);
    found.push(...page.schedules.filter(asked));
    const last = found[pageSize - 1];
    if (last !== undefined && (found.length > pageSize || page.next !== null)) {
      return answer(found.slice(0, pageSize), pageToken(query, schedulePlace(last)));
    }
    if (page.next === null) return answer(found, null);
    before = page.next;
    looked += page.looked;
  }
  return answer(found, before === undefined ? null : pageToken(query, before));
}
