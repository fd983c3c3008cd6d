import { readable } from './readable.ts';
import { showLength, showTime } from './show-time.ts';
import { plain, shorten, textTable } from './text-table.ts';
import { hasEnded, isOwnStep, type WireRun, type WireStep } from './wire.ts';

const BAR = 24;
const DETAIL = 60;
const CANCEL_STEP = '$cancel';

interface Span {
  readonly from: number;
  readonly to: number;
  readonly mark: string;
}

/** The steps of a run as lines of time. What had not ended when the run did is shown as abandoned then. */
export function stepTimeline(run: WireRun, all: readonly WireStep[], now: number): string {
  const begin = Date.parse(run.created_at);
  const end = run.finished_at === null ? now : Date.parse(run.finished_at);
  const total = Math.max(1, end - begin);
  const lines = [`${run.workflow_type} ${run.run_id}: ${run.status} after ${showLength(total)}`];
  const cancel = all.find(({ step_id }) => step_id === CANCEL_STEP);
  if (cancel !== undefined) lines.push(`Told to cancel after ${showLength(Date.parse(cancel.started_at) - begin)}.`);
  const rows = all.filter(isOwnStep).sort((a, b) => startOf(a) - startOf(b));
  if (rows.length === 0) return [...lines, 'No step has been recorded yet.'].join('\n');
  const table = textTable(rows, [
    { title: 'AT', align: 'right', of: (step) => showLength(startOf(step) - begin) },
    { title: 'TIMELINE', of: (step) => bar(spansOf(step, run, end), begin, total) },
    { title: 'STEP', of: (step) => step.step_id },
    { title: 'STATUS', of: (step) => (isAbandoned(step, run) ? 'ABANDONED' : step.status) },
    { title: 'TOOK', align: 'right', of: (step) => showLength(endOf(step, run, end) - startOf(step)) },
    { title: 'DETAILS', of: (step) => shorten(detailsOf(step, run), DETAIL) },
  ]);
  return [...lines, table].join('\n');
}

/** A sleep whose time came after the run's end counts as over in its record, but nobody waited for it. */
export function isAbandoned(step: WireStep, run: WireRun): boolean {
  if (!hasEnded(run) || run.finished_at === null) return false;
  if (step.wake_at !== null) return step.wake_at > run.finished_at;
  return step.status !== 'COMPLETED' && step.status !== 'FAILED';
}

const startOf = (step: WireStep): number =>
  Math.min(Date.parse(step.started_at), ...step.failed_attempts.map((failed) => Date.parse(failed.started_at)));

const endOf = (step: WireStep, run: WireRun, end: number): number =>
  step.finished_at === null || isAbandoned(step, run) ? end : Date.parse(step.finished_at);

/** Every failed attempt, then the one that runs or was the last. */
function spansOf(step: WireStep, run: WireRun, end: number): readonly Span[] {
  const failed = step.failed_attempts.map((attempt) => ({
    from: Date.parse(attempt.started_at),
    to: Date.parse(attempt.finished_at),
    mark: '▒',
  }));
  const waits = step.status === 'FAILED' || step.next_retry_at !== null;
  return waits ? failed : [...failed, { from: Date.parse(step.started_at), to: endOf(step, run, end), mark: '█' }];
}

function bar(spans: readonly Span[], begin: number, total: number): string {
  const cells = Array.from({ length: BAR }, () => '·');
  for (const { from, to, mark } of spans) {
    const first = Math.min(BAR - 1, Math.max(0, Math.floor(((from - begin) / total) * BAR)));
    const width = Math.max(1, Math.min(BAR - first, Math.round(((to - from) / total) * BAR)));
    cells.fill(mark, first, first + width);
  }
  return cells.join('');
}

function detailsOf(step: WireStep, run: WireRun): string {
  const parts = [
    step.attempt > 1 ? `attempt ${step.attempt}` : '',
    step.next_retry_at === null || hasEnded(run) ? '' : `again at ${showTime(step.next_retry_at)}`,
    step.wake_at === null ? '' : `until ${showTime(step.wake_at)}`,
    step.child_run_id === null ? '' : `run ${step.child_run_id}`,
    step.error === null ? '' : `${step.error.code}: ${step.error.message}`,
    step.output === undefined ? '' : JSON.stringify(readable(step.output)),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The errors of steps in full, with their stacks. */
export const stepErrors = (all: readonly WireStep[]): string =>
  all
    .filter(isOwnStep)
    .flatMap(({ step_id, attempt, error }) =>
      error === null ? [] : [`${plain(step_id)}, attempt ${attempt}: ${stackOf(error)}`],
    )
    .join('\n\n');

/** Line by line: a stack is the one text of others' that may have several. */
export const stackOf = ({ code, message, stack }: NonNullable<WireRun['error']>): string =>
  (stack ?? `${code}: ${message}`).split('\n').map(plain).join('\n');
