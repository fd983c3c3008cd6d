import { expect, it } from 'vitest';
import { barsOf, lengthOf, spanOf, ticksOf } from '../../console/page/run/timeline-bars.ts';
import type { RunSummary, Step } from '../../console/page/wire.ts';

const START = Date.parse('2026-11-18T12:00:00.000Z');
const at = (ms: number): string => new Date(START + ms).toISOString();

const RUN = { status: 'RUNNING', created_at: at(0), finished_at: null } as RunSummary;
const STEP = {
  step_id: 'charge',
  kind: 'FUNCTION',
  status: 'COMPLETED',
  attempt: 1,
  started_at: at(100),
  finished_at: at(300),
  next_retry_at: null,
  wake_at: null,
  error: null,
  failed_attempts: [],
} as unknown as Step;
const failedOnce = { attempt: 1, started_at: at(100), finished_at: at(200), code: 'Error', message: 'busy' };

const spans = (step: Step, now: number) =>
  barsOf(step, START + now).map(({ kind, from, to }) => `${kind} ${from - START}–${to - START}`);

it('draws each attempt and what lay between', () => {
  const retried = { ...STEP, attempt: 2, started_at: at(1_200), finished_at: at(1_500), failed_attempts: [failedOnce] };
  expect(spans(retried, 9_000)).toEqual(['failed 100–200', 'wait 200–1200', 'done 1200–1500']);
  expect(lengthOf(retried, START + 9_000)).toBe(1_400);
});

it('draws the wait for an attempt that lies ahead to its end, and the run as far', () => {
  const waiting = { ...STEP, status: 'PENDING', attempt: 2, finished_at: null, next_retry_at: at(5_000) } as Step;
  const step = { ...waiting, failed_attempts: [failedOnce] };
  expect(spans(step, 1_000)).toEqual(['failed 100–200', 'wait 200–5000']);
  expect(spanOf(RUN, [step], START + 1_000)).toEqual({ from: START, to: START + 5_000 });
});

it('draws a sleep to the time at which it ends, and what runs to now', () => {
  const asleep = { ...STEP, kind: 'SLEEP', status: 'RUNNING', finished_at: null, wake_at: at(60_000) } as Step;
  expect(spans(asleep, 1_000)).toEqual(['sleep 100–60000']);
  expect(spans({ ...STEP, status: 'RUNNING', finished_at: null }, 1_000)).toEqual(['running 100–1000']);
  const cancelled = { ...RUN, status: 'CANCELLED', finished_at: at(700) } as RunSummary;
  expect(spanOf(cancelled, [asleep], START + 9_000).to).toBe(START + 700);
});

it('marks round lengths, however short or long the run', () => {
  const ticks = (length: number) => ticksOf({ from: START, to: START + length }, 6);
  expect(ticks(1)).toEqual([0, 1]);
  expect(ticks(1_700)).toEqual([0, 500, 1_000, 1_500]);
  expect(ticks(40 * 86_400_000).at(-1)).toBe(35 * 86_400_000);
  for (const length of [1, 17, 999, 61_000, 86_400_000, 3.2e12]) {
    expect(ticks(length).length, String(length)).toBeLessThanOrEqual(7);
  }
});
