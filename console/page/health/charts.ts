import type { MetricsHistory } from '../wire.ts';

/** A line of a chart: a counter by the minute, a gauge, or what a counter was for each of another. */
export interface Series {
  readonly name: string;
  /** The counter that the other is divided by. */
  readonly per?: string;
  readonly label: string;
  readonly tone: 'running' | 'completed' | 'failed' | 'pending' | 'sleeping' | 'cancelled';
}

export interface Chart {
  readonly title: string;
  readonly of: 'counters' | 'gauges';
  readonly unit: string;
  /** Its numbers are lengths of time, in units of so many milliseconds. */
  readonly lengthOf?: number;
  readonly series: readonly Series[];
}

/** What the dashboard in CloudWatch shows, as far as one process knows it: a test compares them. */
export const CHARTS: readonly Chart[] = [
  {
    title: 'Runs',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'runs_started', label: 'started', tone: 'running' },
      { name: 'runs_completed', label: 'completed', tone: 'completed' },
      { name: 'runs_failed', label: 'failed', tone: 'failed' },
      { name: 'runs_cancelled', label: 'cancelled', tone: 'cancelled' },
    ],
  },
  {
    title: 'Steps',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'steps_completed', label: 'completed', tone: 'completed' },
      { name: 'steps_retried', label: 'tried again', tone: 'pending' },
      { name: 'steps_failed', label: 'failed', tone: 'failed' },
    ],
  },
  {
    title: 'Messages',
    of: 'gauges',
    unit: 'now',
    series: [
      { name: 'queue_ready', label: 'waiting', tone: 'pending' },
      { name: 'queue_in_flight', label: 'under way', tone: 'running' },
      { name: 'queue_delayed', label: 'delayed', tone: 'sleeping' },
      { name: 'queue_dead', label: 'dead', tone: 'failed' },
    ],
  },
  {
    title: 'Oldest message',
    of: 'gauges',
    unit: 'now',
    lengthOf: 1_000,
    series: [{ name: 'queue_oldest_age_seconds', label: 'waits', tone: 'pending' }],
  },
  {
    title: 'Recoveries',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'runs_retried', label: 'runs tried again', tone: 'pending' },
      { name: 'runs_stalled', label: 'runs stuck', tone: 'failed' },
      { name: 'leases_recovered', label: 'leases', tone: 'running' },
      { name: 'dispatches_resent', label: 'messages', tone: 'cancelled' },
    ],
  },
  {
    title: 'Workers that poll',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'worker_heartbeats', label: 'heartbeats', tone: 'completed' },
      { name: 'workers_stale', label: 'lost', tone: 'failed' },
    ],
  },
  {
    title: 'Schedules',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'schedules_fired', label: 'fired', tone: 'running' },
      { name: 'schedule_fires_skipped', label: 'skipped', tone: 'pending' },
    ],
  },
  {
    title: 'Fires came late by',
    of: 'counters',
    unit: 'on average',
    lengthOf: 1,
    series: [{ name: 'schedule_lag_ms', per: 'schedules_fired', label: 'a fire', tone: 'pending' }],
  },
  {
    title: 'Sleeps and claims',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'runs_claimed', label: 'claims', tone: 'running' },
      { name: 'sleeps_started', label: 'sleeps', tone: 'sleeping' },
    ],
  },
  {
    title: 'Capacity units',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'write_units', label: 'write', tone: 'running' },
      { name: 'read_units', label: 'read', tone: 'sleeping' },
    ],
  },
  {
    title: 'Dead letters',
    of: 'counters',
    unit: 'a minute',
    series: [{ name: 'dead_letters', label: 'died', tone: 'failed' }],
  },
  {
    title: 'Watchdog',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'watchdog_ticks', label: 'ticks', tone: 'completed' },
      { name: 'runs_purged', label: 'runs removed', tone: 'cancelled' },
      { name: 'blobs_swept', label: 'blobs removed', tone: 'sleeping' },
    ],
  },
];

const POINTS = 60;

type Samples = readonly (number | null)[];

/** A series as it is drawn, and the number that stands for the whole hour, or for now. */
export interface Line {
  readonly series: Series;
  readonly points: Samples;
  readonly value: number;
}

export function lineOf({ of }: Chart, series: Series, history: MetricsHistory): Line {
  const samples = history[of][series.name] ?? [];
  const points = pointsOf(samples, of);
  if (of === 'gauges') return { series, points, value: lastOf(samples) };
  if (series.per === undefined) return { series, points, value: sumOf(samples) };
  const others = history.counters[series.per] ?? [];
  const each = pointsOf(others, of);
  const ratio = (sum: number, by: number): number => (by === 0 ? 0 : sum / by);
  return {
    series,
    points: points.map((point, index) => (point === null ? null : ratio(point, each[index] ?? 0))),
    value: ratio(sumOf(samples), sumOf(others)),
  };
}

/** Sixty points: sums of what was counted, the largest of what was measured. */
function pointsOf(samples: Samples, of: Chart['of']): Samples {
  const each = Math.max(1, Math.round(samples.length / POINTS));
  return Array.from({ length: Math.ceil(samples.length / each) }, (_, index) => {
    const part = samples.slice(index * each, (index + 1) * each).filter((value) => value !== null);
    if (part.length === 0) return null;
    return of === 'counters' ? part.reduce((sum, value) => sum + value, 0) : Math.max(...part);
  });
}

const lastOf = (samples: Samples): number => samples.findLast((value) => value !== null) ?? 0;
const sumOf = (samples: Samples): number => samples.reduce<number>((sum, value) => sum + (value ?? 0), 0);
