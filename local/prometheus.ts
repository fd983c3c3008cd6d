import { Counter, Gauge, Registry } from 'prom-client';
import type { Metric, Telemetry } from '../shared/ports/telemetry.ts';

const HELP: Readonly<Record<Metric, string>> = {
  runs_started: 'Runs started',
  runs_completed: 'Runs that ended COMPLETED',
  runs_failed: 'Runs that ended FAILED',
  runs_cancelled: 'Runs that ended CANCELLED',
  runs_claimed: 'Claims of a run by a worker',
  runs_retried: 'Runs put back to be tried again',
  runs_stalled: 'Runs that ended FAILED because worker after worker got stuck in them',
  steps_completed: 'Steps that completed',
  steps_failed: 'Steps that failed for good',
  steps_retried: 'Step attempts that failed and will be tried again',
  sleeps_started: 'Runs that went to sleep',
  schedules_fired: 'Runs that schedules started',
  schedule_lag_ms: 'Milliseconds by which fires of schedules came late, in all',
  schedule_fires_skipped: 'Fires of schedules that were skipped',
  leases_recovered: 'Lapsed leases taken from their holder',
  dispatches_resent: 'Messages the watchdog sent again',
  worker_heartbeats: 'Heartbeats of workers that poll',
  workers_stale: 'Workers marked OFFLINE for their silence',
  watchdog_ticks: 'Ticks of the watchdog',
  dead_letters: 'Messages that became dead letters',
  runs_purged: 'Finished runs removed after their retention',
  blobs_swept: 'Blobs removed because nothing refers to them',
  write_units: 'Write capacity units used on the table',
  read_units: 'Read capacity units used on the table',
};

/** Everything that is counted. */
export const METRICS = Object.keys(HELP) as readonly Metric[];

/** prom-client wants label names in advance. Others are left out of the count: an unbounded label is a leak. */
const LABELS = ['namespace', 'task_queue', 'workflow_type', 'reason', 'kind'] as const;
type Labels = Readonly<Record<string, string>>;

export interface GaugeReading {
  readonly labels?: Labels;
  readonly value: number;
}

/** The counting half of Telemetry, and gauges that are read when scraped. */
export class PrometheusMetrics implements Pick<Telemetry, 'count'> {
  private readonly registry = new Registry();
  private readonly counters = new Map<string, Counter>();
  readonly contentType = this.registry.contentType;

  constructor() {
    for (const [metric, help] of Object.entries(HELP)) {
      const name = `kagzi_${metric}_total`;
      this.counters.set(metric, new Counter({ name, help, labelNames: LABELS, registers: [this.registry] }));
    }
  }

  /** Never throws: a metric must not break what it counts. */
  count(metric: Metric, value = 1, labels: Labels = {}): void {
    if (!(value >= 0 && Number.isFinite(value))) return;
    const known: Record<string, string> = {};
    for (const label of LABELS) if (labels[label] !== undefined) known[label] = labels[label];
    this.counters.get(metric)?.inc(known, value);
  }

  gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => readonly GaugeReading[] | Promise<readonly GaugeReading[]>,
  ): void {
    const gauge: Gauge = new Gauge({
      name: `kagzi_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect: async () => {
        const readings = await read();
        gauge.reset();
        for (const { labels, value } of readings) gauge.set({ ...labels }, value);
      },
    });
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }
}
