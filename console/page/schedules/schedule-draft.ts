import { lengthText, parseLength } from '../length-text.ts';
import type { Schedule } from '../wire.ts';
import { localText, zoneHere } from './local-time.ts';
import { policyOf, type RetryDraft, retryDraftOf } from './retry-draft.ts';

/** A schedule as it is being written: lengths as `1h30m`, times in the zone of the browser. */
export interface ScheduleDraft extends RetryDraft {
  readonly id: string;
  readonly type: string;
  readonly version: string;
  readonly queue: string;
  /** One expression a line. */
  readonly cron: string;
  /** One a line, as in `1h after 5m`. */
  readonly every: string;
  readonly zone: string;
  readonly start: string;
  readonly end: string;
  readonly jitter: string;
  readonly input: string;
  readonly overlap: string;
  readonly maxCatchup: string;
  readonly catchupWindow: string;
  readonly note: string;
}

export const OVERLAPS: Readonly<Record<Schedule['overlap_policy'], string>> = {
  skip: 'Skip the fire',
  buffer_one: 'Start one more when it ends',
  buffer_all: 'Start all, one after the other',
  allow_all: 'Start at once, side by side',
  cancel_other: 'Cancel the open run, then start',
};

const YEAR_MS = 365 * 86_400_000;

export const draftOf = (schedule: Schedule | null): ScheduleDraft => ({
  id: schedule?.schedule_id ?? '',
  type: schedule?.workflow_type ?? '',
  version: schedule?.version ?? '1',
  queue: schedule?.task_queue ?? 'default',
  cron: schedule?.cron_expr.join('\n') ?? '0 9 * * 1-5',
  every: schedule?.intervals.map(intervalText).join('\n') ?? '',
  zone: schedule?.timezone ?? zoneHere(),
  start: schedule?.start_at == null ? '' : localText(schedule.start_at),
  end: schedule?.end_at == null ? '' : localText(schedule.end_at),
  jitter: lengthText(schedule?.jitter_ms ?? 0),
  input: schedule !== null && 'input' in schedule ? JSON.stringify(schedule.input, null, 2) : '',
  overlap: schedule?.overlap_policy ?? 'allow_all',
  maxCatchup: String(schedule?.max_catchup ?? 100),
  catchupWindow: lengthText(schedule?.catchup_window_ms ?? YEAR_MS),
  note: schedule?.note ?? '',
  ...retryDraftOf(schedule?.retry_policy),
});

type Interval = Schedule['intervals'][number];

export const intervalText = ({ every_ms, offset_ms }: Interval): string =>
  offset_ms === 0 ? lengthText(every_ms) : `${lengthText(every_ms)} after ${lengthText(offset_ms)}`;

function parseInterval(line: string): Interval | null {
  const [every_ms = null, offset_ms = 0, ...rest] = line.split(/\bafter\b/).map(parseLength);
  return every_ms === null || offset_ms === null || rest.length > 0 ? null : { every_ms, offset_ms };
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export type DraftProblems = { readonly [K in keyof ScheduleDraft]?: string };

/** What can be told without the engine. */
export function problemsIn(draft: ScheduleDraft): DraftProblems {
  const wrongLine = linesOf(draft.every).find((line) => parseInterval(line) === null);
  const lengths = ['jitter', 'catchupWindow', 'firstWait', 'longestWait'] as const;
  const wrong = lengths.filter((name) => parseLength(draft[name]) === null);
  return {
    ...Object.fromEntries(wrong.map((name) => [name, 'Write it as 90s, 5m, 1h30m or 7d.'])),
    ...(wrongLine === undefined ? {} : { every: `“${wrongLine}” is no interval: write 90s, 1h or 1h after 5m.` }),
  };
}

/** As the API had it if nothing was changed: the field of the browser knows no milliseconds. */
function instantOf(text: string, before: string | null | undefined): string | undefined {
  if (text === '') return undefined;
  return before != null && localText(before) === text ? before : new Date(text).toISOString();
}

/** When it fires, as the API wants it. */
export const specOf = (draft: ScheduleDraft, before: Schedule | null) => ({
  cron_expr: linesOf(draft.cron),
  intervals: linesOf(draft.every).flatMap((line) => parseInterval(line) ?? []),
  timezone: draft.zone.trim(),
  start_at: instantOf(draft.start, before?.start_at),
  end_at: instantOf(draft.end, before?.end_at),
});

/** A policy is given if it was changed, so that one that follows the engine goes on following it. */
function changedPolicy(draft: ScheduleDraft, before: Schedule | null) {
  const policy = policyOf(draft);
  const isSame = JSON.stringify(policy) === JSON.stringify(policyOf(draftOf(before)));
  return isSame ? {} : { retry_policy: policy };
}

const settingsOf = (draft: ScheduleDraft, before: Schedule | null) => ({
  ...specOf(draft, before),
  ...changedPolicy(draft, before),
  workflow_type: draft.type.trim(),
  version: draft.version.trim(),
  task_queue: draft.queue.trim(),
  jitter_ms: parseLength(draft.jitter) ?? 0,
  overlap_policy: draft.overlap,
  max_catchup: Number(draft.maxCatchup),
  catchup_window_ms: parseLength(draft.catchupWindow) ?? 0,
  note: draft.note.trim() || undefined,
  input: draft.input.trim() === '' ? undefined : (JSON.parse(draft.input) as unknown),
});

/** Of a new schedule. What is undefined is left to the engine. */
export const creationOf = (draft: ScheduleDraft) => ({
  ...settingsOf(draft, null),
  schedule_id: draft.id.trim() || undefined,
});

/** Null takes a value away. */
export function changesOf(draft: ScheduleDraft, before: Schedule) {
  const { start_at = null, end_at = null, note = null, input = null, ...settings } = settingsOf(draft, before);
  return { ...settings, start_at, end_at, note, input, revision: before.revision };
}
