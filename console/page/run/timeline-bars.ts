import { hasEnded, type RunSummary, type Step } from '../wire.ts';

export type BarKind = 'done' | 'running' | 'failed' | 'wait' | 'sleep' | 'child';

export interface Bar {
  readonly kind: BarKind;
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

const at = (text: string): number => Date.parse(text);

/** The attempts of a step and what lay between them, in order. */
export function barsOf(step: Step, now: number): readonly Bar[] {
  const bars: Bar[] = [];
  const failed = step.failed_attempts.filter(({ attempt }) => attempt < step.attempt || step.status === 'PENDING');
  for (const [index, attempt] of failed.entries()) {
    const bar = { kind: 'failed', from: at(attempt.started_at), to: at(attempt.finished_at) } as const;
    bars.push({ ...bar, label: `Attempt ${attempt.attempt} failed: ${attempt.message}` });
    const next = failed[index + 1];
    const until = next === undefined ? startOfLast(step) : at(next.started_at);
    if (until > bar.to) bars.push({ kind: 'wait', from: bar.to, to: until, label: 'Waited to try again' });
  }
  if (step.status !== 'PENDING') bars.push(lastBar(step, now));
  return bars;
}

const startOfLast = (step: Step): number => at(step.next_retry_at ?? step.started_at);

function lastBar(step: Step, now: number): Bar {
  const from = at(step.started_at);
  const end = step.wake_at ?? step.finished_at;
  const to = Math.max(from, end === null ? now : at(end));
  const attempt = step.attempt > 1 ? `Attempt ${step.attempt}: ` : '';
  if (step.kind === 'SLEEP') return { kind: 'sleep', from, to, label: 'Sleep' };
  if (step.status === 'FAILED')
    return { kind: 'failed', from, to, label: `${attempt}failed: ${step.error?.message ?? ''}` };
  if (step.status === 'RUNNING')
    return { kind: step.kind === 'CHILD_WORKFLOW' ? 'child' : 'running', from, to, label: `${attempt}running` };
  return { kind: step.kind === 'CHILD_WORKFLOW' ? 'child' : 'done', from, to, label: `${attempt}completed` };
}

/** From the creation of the run to its end, or to now; a sleep that lies ahead counts as far as it reaches. */
export function spanOf(run: RunSummary, steps: readonly Step[], now: number): Span {
  const from = at(run.created_at);
  let to = run.finished_at === null ? now : at(run.finished_at);
  if (!hasEnded(run)) {
    for (const step of steps) {
      const ahead =
        step.status === 'RUNNING' || step.status === 'PENDING' ? (step.wake_at ?? step.next_retry_at) : null;
      if (ahead !== null) to = Math.max(to, at(ahead));
    }
  }
  return { from, to: Math.max(to, from + 1) };
}

const MS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200].map((s) => s * 1000);
const DAYS = [1, 2, 7, 14, 30, 90, 180, 365, 730, 1825, 3650].map((d) => d * 86_400_000);
const STEPS = [...MS, ...SECONDS, ...DAYS];

/** Round lengths from the start, at most so many. */
export function ticksOf({ from, to }: Span, atMost: number): readonly number[] {
  const length = to - from;
  const step = STEPS.find((candidate) => length / candidate <= atMost) ?? length;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}

/** What a step took, waits included. */
export function lengthOf(step: Step, now: number): number {
  const first = step.failed_attempts[0]?.started_at ?? step.started_at;
  return (step.finished_at === null ? now : at(step.finished_at)) - at(first);
}
