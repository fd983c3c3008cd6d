import { type EndedRun, isEnded } from '../model/run.ts';
import type { BusEvent, EventBus } from '../ports/event-bus.ts';
import type { Item } from '../ports/table.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { decodeRun } from '../store/run-item.ts';

/** What became of an item of the table. */
export interface ItemChange {
  /** Its place among the changes. */
  readonly id: string;
  readonly after: Item;
}

/** Of every event. */
export const RUN_ENDED = 'Run Ended';

const instant = (ms: number): string => new Date(ms).toISOString();
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms));

/** Facts by the names that the API gives them; no payload, and no text of an error, which may quote one. */
const eventOf = (run: EndedRun): BusEvent => ({
  type: RUN_ENDED,
  at: run.finishedAt,
  detail: {
    namespace: run.namespace,
    run_id: run.runId,
    external_id: run.externalId,
    workflow_type: run.workflowType,
    version: run.version,
    task_queue: run.taskQueue,
    status: run.status,
    error_code: run.status === 'FAILED' ? run.error.code : null,
    schedule_id: run.scheduleId,
    fire_at: instantOrNull(run.fireAt),
    parent_run_id: run.parent?.runId ?? null,
    attempts: run.attempts,
    created_at: instant(run.createdAt),
    started_at: instantOrNull(run.startedAt),
    finished_at: instant(run.finishedAt),
  },
});

/** Tells the bus of runs that ended; answers the changes it did not take. What cannot be read would hold up the rest: it is logged. */
export async function announceEnds(
  bus: EventBus,
  telemetry: Telemetry,
  changes: readonly ItemChange[],
): Promise<readonly string[]> {
  const ended = changes.flatMap(({ id, after }) => {
    try {
      const run = decodeRun(after);
      return isEnded(run) ? [{ id, event: eventOf(run) }] : [];
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      telemetry.log('error', 'the end of a run cannot be read, so nobody is told', { pk: after.pk, error: problem });
      return [];
    }
  });
  const taken = await bus.publish(ended.map(({ event }) => event));
  const left = ended.filter((_each, index) => taken[index] !== true).map(({ id }) => id);
  if (left.length > 0) telemetry.log('warn', 'the bus refused events; they come again', { refused: left.length });
  return left;
}
