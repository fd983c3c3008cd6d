import type { Schedule } from '../wire.ts';

/** A schedule as it is being written. */
export interface ScheduleDraft {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  /** One expression a line. */
  readonly cron: string;
  /** Seconds; empty for none. */
  readonly every: string;
  readonly zone: string;
  readonly input: string;
  readonly overlap: string;
  readonly maxCatchup: string;
  readonly note: string;
  readonly enabled: boolean;
}

export const OVERLAPS: Readonly<Record<Schedule['overlap_policy'], string>> = {
  skip: 'Skip the fire',
  buffer_one: 'Start one more when it ends',
  buffer_all: 'Start all, one after the other',
  allow_all: 'Start at once, side by side',
  cancel_other: 'Cancel the open run, then start',
};

export const draftOf = (schedule: Schedule | null): ScheduleDraft => ({
  id: schedule?.schedule_id ?? '',
  type: schedule?.workflow_type ?? '',
  queue: schedule?.task_queue ?? 'default',
  cron: schedule?.cron_expr.join('\n') ?? '0 9 * * 1-5',
  every: schedule?.intervals[0] === undefined ? '' : String(schedule.intervals[0].every_ms / 1000),
  zone: schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  input: schedule !== null && 'input' in schedule ? JSON.stringify(schedule.input, null, 2) : '',
  overlap: schedule?.overlap_policy ?? 'allow_all',
  maxCatchup: String(schedule?.max_catchup ?? 100),
  note: schedule?.note ?? '',
  enabled: schedule?.enabled ?? true,
});

/** When it fires, as the API wants it. Intervals but the first, and offsets, stay as they were. */
export function specOf(draft: ScheduleDraft, before: Schedule | null) {
  const every = Number(draft.every);
  const first = { every_ms: every * 1000, offset_ms: before?.intervals[0]?.offset_ms ?? 0 };
  return {
    cron_expr: draft.cron
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    intervals: [...(draft.every.trim() === '' ? [] : [first]), ...(before?.intervals.slice(1) ?? [])],
    timezone: draft.zone.trim(),
  };
}

/** Of a new schedule. What is empty is left to the engine. */
export const creationOf = (draft: ScheduleDraft) => ({
  ...changesOf(draft, null),
  ...(draft.id.trim() === '' ? {} : { schedule_id: draft.id.trim() }),
  ...(draft.note.trim() === '' ? { note: undefined } : {}),
  ...(draft.input.trim() === '' ? { input: undefined } : {}),
  enabled: draft.enabled,
  request_id: crypto.randomUUID(),
});

/** Null takes a value away. */
export const changesOf = (draft: ScheduleDraft, before: Schedule | null) => ({
  ...specOf(draft, before),
  workflow_type: draft.type.trim(),
  task_queue: draft.queue.trim(),
  overlap_policy: draft.overlap,
  max_catchup: Number(draft.maxCatchup),
  note: draft.note.trim() === '' ? null : draft.note.trim(),
  input: draft.input.trim() === '' ? null : (JSON.parse(draft.input) as unknown),
  ...(before === null ? {} : { revision: before.revision }),
});
