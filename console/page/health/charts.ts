/** A line of a chart: a counter by the minute, or a gauge. */
export interface Series {
  readonly name: string;
  readonly label: string;
  readonly tone: 'running' | 'completed' | 'failed' | 'pending' | 'sleeping' | 'cancelled';
}

export interface Chart {
  readonly title: string;
  readonly of: 'counters' | 'gauges';
  readonly unit: string;
  readonly series: readonly Series[];
}

/** What the dashboard in CloudWatch shows, as far as one process knows it. */
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
    ],
  },
  {
    title: 'Oldest message',
    of: 'gauges',
    unit: 'seconds',
    series: [{ name: 'queue_oldest_age_seconds', label: 'waits', tone: 'pending' }],
  },
  {
    title: 'Recoveries',
    of: 'counters',
    unit: 'a minute',
    series: [
      { name: 'leases_recovered', label: 'leases', tone: 'failed' },
      { name: 'dispatches_resent', label: 'messages', tone: 'pending' },
      { name: 'workers_stale', label: 'workers', tone: 'cancelled' },
    ],
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
    series: [{ name: 'dead_letters', label: 'dead', tone: 'failed' }],
  },
];

const POINTS = 60;

type Samples = readonly (number | null)[];

/** Sixty points: sums of what was counted, the largest of what was measured. */
export function pointsOf(samples: Samples, of: Chart['of']): Samples {
  const each = Math.max(1, Math.round(samples.length / POINTS));
  return Array.from({ length: Math.ceil(samples.length / each) }, (_, index) => {
    const part = samples.slice(index * each, (index + 1) * each).filter((value) => value !== null);
    if (part.length === 0) return null;
    return of === 'counters' ? part.reduce((sum, value) => sum + value, 0) : Math.max(...part);
  });
}

export const lastOf = (samples: Samples): number => samples.findLast((value) => value !== null) ?? 0;
export const sumOf = (samples: Samples): number => samples.reduce<number>((sum, value) => sum + (value ?? 0), 0);
